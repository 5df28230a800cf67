/**
 * Validation of containers: names, images, ports, environment, mounts, probes, resources.
 *
 * @module
 */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { compareQuantities, parseQuantity } from "../../../../kube/quantity.ts";
import type {
  Container,
  EnvVar,
  Handler,
  PodSpec,
  Probe,
  ResourceRequirements,
} from "../shapes.ts";
import {
  backstepErrors,
  configKeyErrors,
  nameErrorsAt,
  notNegative,
  portNameErrors,
  portNumber,
  portReference,
} from "./checks.ts";

const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const ENV_FIELDS = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const ENV_RESOURCES = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...ENV_FIELDS,
  "metadata.annotations",
  "metadata.labels",
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.hostNetwork",
  "status.phase",
  "status.nominatedNodeName",
]);
const STANDARD_RESOURCES = /^(cpu|memory|ephemeral-storage|hugepages-.+)$/;
const OVERCOMMITTED = /^(cpu|memory|ephemeral-storage|storage)$/;

/** Everything wrong with the containers of a pod: init containers after the others. */
export function containersErrors(field: string, spec: PodSpec): FieldError[] {
  const containers = spec.containers ?? [];
  if (containers.length === 0) return [required(`${field}.containers`)];
  const names = new Set<string>();
  const errors: FieldError[] = [];
  const check = (list: string, group: readonly Container[], isInit: boolean): void => {
    group.forEach((container, index) => {
      const at = `${field}.${list}[${index}]`;
      errors.push(...containerErrors(at, container, spec, isInit));
      if (container.name !== "" && names.has(container.name)) {
        errors.push(duplicate(`${at}.name`, container.name));
      }
      names.add(container.name);
    });
  };
  check("containers", containers, false);
  check("initContainers", spec.initContainers ?? [], true);
  return errors;
}

function containerErrors(
  at: string,
  container: Container,
  spec: PodSpec,
  isInit: boolean,
): FieldError[] {
  const { name, image = "", imagePullPolicy = "" } = container;
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(`${at}.name`));
  else errors.push(...nameErrorsAt(`${at}.name`, name, dns1123LabelErrors));
  if (image === "") errors.push(required(`${at}.image`));
  else if (image !== image.trim()) {
    errors.push(invalidValue(`${at}.image`, image, "must not have leading or trailing whitespace"));
  }
  if (!PULL_POLICIES.includes(imagePullPolicy)) {
    errors.push(notSupported(`${at}.imagePullPolicy`, imagePullPolicy, PULL_POLICIES));
  }
  errors.push(...portsErrors(`${at}.ports`, container));
  for (const [index, variable] of (container.env ?? []).entries()) {
    errors.push(...envErrors(`${at}.env[${index}]`, variable));
  }
  errors.push(...envFromErrors(`${at}.envFrom`, container));
  errors.push(...mountsErrors(at, container, spec));
  errors.push(...resourcesErrors(`${at}.resources`, container.resources ?? {}));
  const hasProbes = container.lifecycle ?? container.livenessProbe ?? container.readinessProbe;
  if (isInit && container.restartPolicy !== "Always" && (hasProbes ?? container.startupProbe)) {
    for (const part of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
      if (container[part]) {
        errors.push(
          forbidden(
            `${at}.${part}`,
            "may not be set for init containers without restartPolicy=Always",
          ),
        );
      }
    }
    return errors;
  }
  return [...errors, ...lifecycleErrors(at, container, spec)];
}

function portsErrors(field: string, { ports = [] }: Container): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `${field}[${index}]`;
    if (port.name) {
      errors.push(...nameErrorsAt(`${at}.name`, port.name, portNameErrors));
      if (names.has(port.name)) errors.push(duplicate(`${at}.name`, port.name));
      names.add(port.name);
    }
    if (!port.containerPort) errors.push(required(`${at}.containerPort`));
    else errors.push(...portNumber(`${at}.containerPort`, port.containerPort));
    if (port.hostPort) errors.push(...portNumber(`${at}.hostPort`, port.hostPort));
    const { protocol = "" } = port;
    if (protocol === "") errors.push(required(`${at}.protocol`));
    else if (!PROTOCOLS.includes(protocol)) {
      errors.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS));
    }
  }
  return errors;
}

const ENV_NAME =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

const envNameErrors = (name: string): string[] => (/^[ -<>-~]+$/.test(name) ? [] : [ENV_NAME]);

function envErrors(at: string, variable: EnvVar): FieldError[] {
  const { name, value = "", valueFrom } = variable;
  const errors =
    name === "" ? [required(`${at}.name`)] : nameErrorsAt(`${at}.name`, name, envNameErrors);
  if (!valueFrom) return errors;
  const from = `${at}.valueFrom`;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (fieldRef) errors.push(...fieldPathErrors(`${from}.fieldRef`, fieldRef.fieldPath, ENV_FIELDS));
  if (resourceFieldRef) {
    const { resource } = resourceFieldRef;
    if (!ENV_RESOURCES.includes(resource) && !resource.includes("hugepages-")) {
      errors.push(notSupported(`${from}.resourceFieldRef.resource`, resource, ENV_RESOURCES));
    }
  }
  for (const [part, reference] of [
    ["configMapKeyRef", configMapKeyRef],
    ["secretKeyRef", secretKeyRef],
  ] as const) {
    if (!reference) continue;
    const { name: referred = "", key } = reference;
    errors.push(...nameErrorsAt(`${from}.${part}.name`, referred, dns1123SubdomainErrors));
    if (key === "") errors.push(required(`${from}.${part}.key`));
    else errors.push(...nameErrorsAt(`${from}.${part}.key`, key, configKeyErrors));
  }
  const sources = Object.keys(valueFrom).length;
  if (sources === 0) {
    errors.push(
      invalidValue(
        from,
        "",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
      ),
    );
  } else if (value !== "") {
    errors.push(invalidValue(from, "", "may not be specified when `value` is not empty"));
  } else if (sources > 1) {
    errors.push(invalidValue(from, "", "may not have more than one field specified at a time"));
  }
  return errors;
}

/** What a `fieldRef` may name: a field of the pod that is in `supported`, or one label or annotation. */
export function fieldPathErrors(
  at: string,
  path: string,
  supported: readonly string[],
): FieldError[] {
  const field = `${at}.fieldPath`;
  if (path === "") return [required(field)];
  if (/^metadata\.(labels|annotations)\['.+'\]$/.test(path)) return [];
  if (!KNOWN_FIELDS.has(path)) {
    return [
      invalidValue(field, path, `error converting fieldPath: field label not supported: ${path}`),
    ];
  }
  return supported.includes(path) ? [] : [notSupported(field, path, supported)];
}

function envFromErrors(field: string, { envFrom = [] }: Container): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, { prefix = "", configMapRef, secretRef }] of envFrom.entries()) {
    const at = `${field}[${index}]`;
    if (prefix !== "") errors.push(...nameErrorsAt(`${at}.prefix`, prefix, envNameErrors));
    for (const [part, reference] of [
      ["configMapRef", configMapRef],
      ["secretRef", secretRef],
    ] as const) {
      if (!reference) continue;
      const { name = "" } = reference;
      errors.push(...nameErrorsAt(`${at}.${part}.name`, name, dns1123SubdomainErrors));
    }
    if (!configMapRef && !secretRef) {
      errors.push(invalidValue(field, "", "must specify one of: `configMapRef` or `secretRef`"));
    } else if (configMapRef && secretRef) {
      errors.push(invalidValue(field, "", "may not have more than one field specified at a time"));
    }
  }
  return errors;
}

function mountsErrors(at: string, container: Container, spec: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  const volumes = new Set((spec.volumes ?? []).map(({ name }) => name));
  const paths = new Set<string>();
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const field = `${at}.volumeMounts[${index}]`;
    if (mount.name === "") errors.push(required(`${field}.name`));
    else if (!volumes.has(mount.name)) errors.push(notFoundValue(`${field}.name`, mount.name));
    if (mount.mountPath === "") errors.push(required(`${field}.mountPath`));
    if (paths.has(mount.mountPath)) {
      errors.push(invalidValue(`${field}.mountPath`, mount.mountPath, "must be unique"));
    }
    paths.add(mount.mountPath);
    for (const part of ["subPath", "subPathExpr"] as const) {
      const path = mount[part];
      if (!path) continue;
      const where = `${at}.volumeMounts.${part}`;
      errors.push(
        ...(path.startsWith("/")
          ? [invalidValue(where, path, "must be a relative path")]
          : backstepErrors(where, path)),
      );
    }
  }
  return errors;
}

/** Requests within limits, whole numbers of what cannot be divided, known names. */
export function resourcesErrors(
  field: string,
  { requests = {}, limits = {} }: ResourceRequirements,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [part, amounts] of [
    ["limits", limits],
    ["requests", requests],
  ] as const) {
    for (const [name, amount] of Object.entries(amounts)) {
      errors.push(...amountErrors(`${field}.${part}[${name}]`, name, amount));
    }
  }
  for (const [name, amount] of Object.entries(requests)) {
    const limit = limits[name];
    const divisible = OVERCOMMITTED.test(name);
    if (limit === undefined) {
      if (!divisible) {
        errors.push(
          required(`${field}.limits`, "Limit must be set for non overcommitable resources"),
        );
      }
      continue;
    }
    const order = compareQuantities(parseQuantity(amount), parseQuantity(limit));
    if (!divisible && order !== 0) {
      errors.push(
        invalidValue(`${field}.requests`, amount, `must be equal to ${name} limit of ${limit}`),
      );
    } else if (order > 0) {
      errors.push(
        invalidValue(
          `${field}.requests`,
          amount,
          `must be less than or equal to ${name} limit of ${limit}`,
        ),
      );
    }
  }
  const names = [...Object.keys(requests), ...Object.keys(limits)];
  if (
    names.some((name) => name.startsWith("hugepages-")) &&
    !names.some((name) => name === "cpu" || name === "memory")
  ) {
    errors.push(forbidden(field, "HugePages require cpu or memory"));
  }
  return errors;
}

function amountErrors(field: string, name: string, amount: string): FieldError[] {
  const errors: FieldError[] = [];
  const standard = STANDARD_RESOURCES.test(name);
  if (!standard && !name.includes("/")) {
    if (!/^(requests|limits)\./.test(name)) {
      errors.push(invalidValue(field, name, "must be a standard resource type or fully qualified"));
    }
    errors.push(invalidValue(field, name, "must be a standard resource for containers"));
  }
  const { nanos } = parseQuantity(amount);
  if (nanos < 0n) {
    errors.push(invalidValue(field, amount, "must be greater than or equal to 0"));
  }
  if (!OVERCOMMITTED.test(name) && nanos % 1_000_000_000n !== 0n) {
    errors.push(invalidValue(field, amount, "must be an integer"));
  }
  return errors;
}

function lifecycleErrors(at: string, container: Container, spec: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const part of ["postStart", "preStop"] as const) {
    const handler = container.lifecycle?.[part];
    if (!handler) continue;
    const field = `${at}.lifecycle.${part}`;
    errors.push(...handlerErrors(field, handler, ["exec", "httpGet", "tcpSocket", "sleep"]));
    const grace = spec.terminationGracePeriodSeconds ?? 0;
    const seconds = handler.sleep?.seconds ?? 0;
    if (handler.sleep && (seconds < 0 || seconds > grace)) {
      errors.push(
        invalidValue(
          `${field}.sleep`,
          seconds,
          `must be non-negative and less than terminationGracePeriodSeconds (${grace})`,
        ),
      );
    }
  }
  for (const part of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const probe = container[part];
    if (!probe) continue;
    errors.push(...probeErrors(`${at}.${part}`, probe));
    if (part === "readinessProbe") {
      if (probe.terminationGracePeriodSeconds !== undefined) {
        errors.push(
          invalidValue(
            `${at}.${part}.terminationGracePeriodSeconds`,
            probe.terminationGracePeriodSeconds,
            "must not be set for readinessProbes",
          ),
        );
      }
    } else if (probe.successThreshold !== 1) {
      errors.push(
        invalidValue(`${at}.${part}.successThreshold`, probe.successThreshold, "must be 1"),
      );
    }
  }
  return errors;
}

function probeErrors(at: string, probe: Probe): FieldError[] {
  return [
    ...handlerErrors(at, probe, ["exec", "httpGet", "tcpSocket", "grpc"]),
    ...notNegative(`${at}.initialDelaySeconds`, probe.initialDelaySeconds),
    ...notNegative(`${at}.timeoutSeconds`, probe.timeoutSeconds),
    ...notNegative(`${at}.periodSeconds`, probe.periodSeconds),
    ...notNegative(`${at}.successThreshold`, probe.successThreshold),
    ...notNegative(`${at}.failureThreshold`, probe.failureThreshold),
  ];
}

/** Exactly one way to ask, and that one complete. */
function handlerErrors(
  at: string,
  handler: Handler,
  kinds: readonly ("exec" | "httpGet" | "tcpSocket" | "grpc" | "sleep")[],
): FieldError[] {
  const errors: FieldError[] = [];
  const given = kinds.filter((kind) => handler[kind] !== undefined);
  if (given.length === 0) return [required(at, "must specify a handler type")];
  given.forEach((kind, index) => {
    if (index > 0) {
      errors.push(forbidden(`${at}.${kind}`, "may not specify more than 1 handler type"));
      return;
    }
    if (handler.exec && (handler.exec.command ?? []).length === 0) {
      errors.push(required(`${at}.exec.command`));
    }
    if (handler.httpGet) {
      const { path = "", scheme = "", port } = handler.httpGet;
      if (path === "") errors.push(required(`${at}.httpGet.path`));
      errors.push(...portReference(`${at}.httpGet.port`, port));
      if (scheme !== "HTTP" && scheme !== "HTTPS") {
        errors.push(notSupported(`${at}.httpGet.scheme`, scheme, ["HTTP", "HTTPS"]));
      }
    }
    if (handler.tcpSocket) {
      errors.push(...portReference(`${at}.tcpSocket.port`, handler.tcpSocket.port));
    }
    if (handler.grpc) errors.push(...portNumber(`${at}.grpc.port`, handler.grpc.port));
  });
  return errors;
}
