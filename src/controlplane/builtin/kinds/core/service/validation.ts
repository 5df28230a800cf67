/** Validation of Services. */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../../kube/field-errors.ts";
import { validateLabels } from "../../../../../kube/metadata.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
} from "../../../../../kube/names.ts";
import {
  addressErrors,
  endpointAddressErrors,
  parseAddress,
  rangeErrors,
} from "../../../shared/addresses/addresses.ts";
import { oneOf, portNumber, portReference } from "../../../shared/checks.ts";
import {
  addressUpdateErrors,
  clusterAddressErrors,
  isHeadless,
  unaddressedErrors,
} from "./addresses.ts";
import { isExternallyAccessible, needsHealthCheckPort } from "./preparation.ts";
import type { Service, ServicePort } from "./shape.ts";

type Spec = Service["spec"];

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const TRAFFIC = ["Cluster", "Local"];
const DISTRIBUTIONS = ["PreferClose", "PreferSameZone", "PreferSameNode"];

const BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";

const HINTS = "service.kubernetes.io/topology-aware-hints";
const MODE = "service.kubernetes.io/topology-mode";
const RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** Validates a Service. */
export function serviceErrors(object: Service): FieldError[] {
  const { spec, metadata } = object;
  const { type = "", ports = [] } = spec;
  const { [HINTS]: hints, [MODE]: mode } = metadata.annotations ?? {};
  const errors: FieldError[] = [];
  if (mode !== undefined && hints !== undefined && mode !== hints) {
    const detail = `must match annotations[${HINTS}] when both are specified`;
    errors.push(invalidValue(`metadata.annotations[${MODE}]`, mode, detail));
  }
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") {
    errors.push(required("spec.ports"));
  }
  return [
    ...errors,
    ...typeErrors(spec),
    ...portsErrors(ports),
    ...validateLabels(spec.selector, "spec.selector"),
    ...affinityErrors(spec),
    ...clusterAddressErrors(spec),
    ...externalAddressErrors(spec),
    ...oneOf("spec.type", type, TYPES),
    ...portNumbersErrors(spec),
    ...balancerErrors(object),
    ...trafficErrors(spec),
  ];
}

function typeErrors(spec: Spec): FieldError[] {
  const { type = "", externalName = "" } = spec;
  if (type === "ExternalName") {
    const bare = externalName.replace(/\.$/, "");
    return [
      ...unaddressedErrors(spec),
      ...(bare === ""
        ? [required("spec.externalName")]
        : nameErrorsAt("spec.externalName", bare, dns1123SubdomainErrors)),
    ];
  }
  return isHeadless(spec) && (type === "LoadBalancer" || type === "NodePort")
    ? [invalidValue("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`)]
    : [];
}

function portsErrors(ports: readonly ServicePort[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const { name = "", protocol = "", appProtocol } = port;
    const errors: FieldError[] = [];
    if (name === "") {
      if (ports.length > 1) errors.push(required(`${at}.name`));
    } else {
      errors.push(...nameErrorsAt(`${at}.name`, name, dns1123LabelErrors));
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    errors.push(
      ...portNumber(`${at}.port`, port.port),
      ...oneOf(`${at}.protocol`, protocol, PROTOCOLS),
      ...portReference(`${at}.targetPort`, port.targetPort),
    );
    return appProtocol === undefined
      ? errors
      : [...errors, ...nameErrorsAt(`${at}.appProtocol`, appProtocol, qualifiedNameErrors)];
  });
}

function affinityErrors({
  sessionAffinity = "",
  sessionAffinityConfig: config,
}: Spec): FieldError[] {
  const field = "spec.sessionAffinityConfig";
  if (sessionAffinity === "None") {
    return config ? [forbidden(field, "must not be set when session affinity is None")] : [];
  }
  if (sessionAffinity !== "ClientIP") {
    return [notSupported("spec.sessionAffinity", sessionAffinity, ["ClientIP", "None"])];
  }
  const seconds = config?.clientIP?.timeoutSeconds;
  return seconds !== undefined && (seconds <= 0 || seconds > 86_400)
    ? [
        invalidValue(
          `${field}.clientIP.timeoutSeconds`,
          seconds,
          "must be greater than 0 and less than 86400",
        ),
      ]
    : [];
}

const externalAddressErrors = ({ externalIPs = [] }: Spec): FieldError[] =>
  externalIPs.flatMap((ip, index) => {
    const field = `spec.externalIPs[${index}]`;
    const errors = addressErrors(field, ip);
    return errors.length > 0 ? errors : endpointAddressErrors(field, ip);
  });

/** Validates that port numbers are unique. */
function portNumbersErrors({ ports = [], type }: Spec): FieldError[] {
  const at = (index: number): string => `spec.ports[${index}]`;
  const isTaken = (index: number, part: "port" | "nodePort"): boolean =>
    ports.findIndex(
      (other) => other.protocol === ports[index]?.protocol && other[part] === ports[index]?.[part],
    ) < index;
  return [
    ...ports.flatMap(({ nodePort }, index) =>
      nodePort && type === "ClusterIP"
        ? [forbidden(`${at(index)}.nodePort`, "may not be used when `type` is 'ClusterIP'")]
        : [],
    ),
    ...ports.flatMap(({ nodePort }, index) =>
      nodePort && isTaken(index, "nodePort") ? [duplicate(`${at(index)}.nodePort`, nodePort)] : [],
    ),
    ...ports.flatMap(({ protocol = "", port }, index) => {
      const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port };
      return isTaken(index, "port")
        ? [duplicate(at(index), { ...shown, TargetPort: 0, NodePort: 0 })]
        : [];
    }),
  ];
}

function balancerErrors({ spec, metadata }: Service): FieldError[] {
  const isBalancer = spec.type === "LoadBalancer";
  const { loadBalancerSourceRanges: ranges = [], loadBalancerClass } = spec;
  const annotated = metadata.annotations?.[RANGES];
  const errors: FieldError[] = [];
  if (ranges.length > 0) {
    const field = "spec.LoadBalancerSourceRanges";
    if (!isBalancer) errors.push(forbidden(field, BALANCER_ONLY));
    for (const [index, range] of ranges.entries()) {
      errors.push(...rangeErrors(`${field}[${index}]`, range.trim()));
    }
  } else if (annotated !== undefined) {
    const field = `metadata.annotations[${RANGES}]`;
    if (!isBalancer) errors.push(forbidden(field, BALANCER_ONLY));
    for (const range of annotated.trim() === "" ? [] : annotated.trim().split(",")) {
      errors.push(...rangeErrors(field, range.trim()));
    }
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer) {
    errors.push(forbidden("spec.allocateLoadBalancerNodePorts", BALANCER_ONLY));
  }
  return loadBalancerClass === undefined
    ? errors
    : [...errors, ...classErrors(loadBalancerClass, isBalancer)];
}

const classErrors = (name: string, isBalancer: boolean): FieldError[] =>
  isBalancer
    ? nameErrorsAt("spec.loadBalancerClass", name, qualifiedNameErrors)
    : [forbidden("spec.loadBalancerClass", BALANCER_ONLY)];

function trafficErrors(spec: Spec): FieldError[] {
  const errors: FieldError[] = [];
  const { externalTrafficPolicy: external = "", internalTrafficPolicy: internal } = spec;
  const { trafficDistribution: distribution, healthCheckNodePort: port = 0 } = spec;
  const field = "spec.externalTrafficPolicy";
  if (isExternallyAccessible(spec)) {
    errors.push(...(external === "" ? [required(field)] : oneOf(field, external, TRAFFIC)));
  } else if (external !== "") {
    const detail = "may only be set for externally-accessible services";
    errors.push(invalidValue(field, external, detail));
  }
  if (needsHealthCheckPort(spec)) errors.push(...portNumber("spec.healthCheckNodePort", port));
  else if (port !== 0) {
    const detail =
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalidValue("spec.healthCheckNodePort", port, detail));
  }
  if (internal !== undefined) {
    errors.push(...oneOf("spec.internalTrafficPolicy", internal, TRAFFIC));
  } else if (spec.type !== "ExternalName" && TYPES.includes(spec.type ?? "")) {
    errors.push(required("spec.internalTrafficPolicy"));
  }
  return distribution === undefined
    ? errors
    : [...errors, ...oneOf("spec.trafficDistribution", distribution, DISTRIBUTIONS)];
}

/** Validates an update of a Service. */
export function serviceUpdateErrors(object: Service, previous: Service): FieldError[] {
  const { spec } = object;
  const { spec: old } = previous;
  const isBalancer = spec.type === "LoadBalancer";
  const { loadBalancerClass: name } = spec;
  const errors = addressUpdateErrors(spec, old);
  if (isBalancer && old.type === "LoadBalancer" && name !== old.loadBalancerClass) {
    const detail = "may not change once set";
    errors.push(invalidValue("spec.loadBalancerClass", name ?? null, detail));
  }
  if (name !== undefined) errors.push(...classErrors(name, isBalancer));
  const hasPort = needsHealthCheckPort(spec) && needsHealthCheckPort(old);
  if (hasPort && spec.healthCheckNodePort !== old.healthCheckNodePort) {
    errors.push(forbidden("spec.healthCheckNodePort", "field is immutable"));
  }
  return [...errors, ...serviceErrors(object)];
}

/** Validates the load balancer in the status of a Service. */
export function serviceStatusErrors(object: Service): FieldError[] {
  const { spec, status } = object;
  const ingress = status?.loadBalancer?.ingress ?? [];
  const field = "status.loadBalancer.ingress";
  if (spec.type !== "LoadBalancer") {
    return ingress.length === 0
      ? []
      : [forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return ingress.flatMap(({ ip = "", ipMode, hostname = "" }, index) => {
    const at = `${field}[${index}]`;
    const errors = ip === "" ? [] : addressErrors(`${at}.ip`, ip);
    if (ipMode === undefined) {
      if (ip !== "") errors.push(required(`${at}.ipMode`, "must be specified when `ip` is set"));
    } else if (ip === "") {
      errors.push(forbidden(`${at}.ipMode`, "may not be specified when `ip` is not set"));
    } else errors.push(...oneOf(`${at}.ipMode`, ipMode, ["Proxy", "VIP"]));
    if (hostname === "") return errors;
    errors.push(...nameErrorsAt(`${at}.hostname`, hostname, dns1123SubdomainErrors));
    const detail = "must be a DNS name, not an IP address";
    return parseAddress(hostname)
      ? [...errors, invalidValue(`${at}.hostname`, hostname, detail)]
      : errors;
  });
}
