/**
 * Validation of containers: names, images, ports, environment, mounts.
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
import type { Container, EnvVar, PodSpec } from "../pod-shapes.ts";
import {
  backstepErrors,
  configKeyErrors,
  nameErrorsAt,
  oneOf,
  portNameErrors,
  portNumber,
} from "./checks.ts";
import { containerResourcesErrors, resizePolicyErrors } from "./container-resources.ts";
import { lifecycleErrors } from "./probes.ts";
import { containerContextErrors } from "./security-context.ts";

const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];
const MESSAGE_POLICIES = ["File", "FallbackToLogsOnError"];
const RESTART_POLICIES = ["Always", "Never", "OnFailure"];
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
/** Everything wrong with the containers of a pod, init containers after the others. */
export function containersErrors(field: string, spec: PodSpec): FieldError[] {
  const names = new Set<string>();
  const containers = spec.containers ?? [];
  const errors = containers.length === 0 ? [required(`${field}.containers`)] : [];
  for (const [index, container] of containers.entries()) {
    const at = `${field}.containers[${index}]`;
    errors.push(...commonErrors(at, container, spec));
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    errors.push(...lifecycleErrors(at, container, spec), ...restartErrors(at, container, false));
  }
  errors.push(...hostPortErrors(`${field}.containers`, containers));
  const own = new Set(names);
  for (const [index, container] of (spec.initContainers ?? []).entries()) {
    const at = `${field}.initContainers[${index}]`;
    errors.push(...commonErrors(at, container, spec), ...restartErrors(at, container, true));
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    else if (container.name !== "") names.add(container.name);
    own.add(container.name);
    errors.push(...hostPortErrors(`${field}.initContainers`, [container]));
    errors.push(...initErrors(at, container, spec));
  }
  return [...errors, ...ephemeralErrors(`${field}.ephemeralContainers`, spec, own)];
}

function commonErrors(at: string, container: Container, spec: PodSpec): FieldError[] {
  const { name, image = "", imagePullPolicy = "", terminationMessagePolicy = "" } = container;
  const errors =
    name === "" ? [required(`${at}.name`)] : nameErrorsAt(`${at}.name`, name, dns1123LabelErrors);
  if (image === "") errors.push(required(`${at}.image`));
  errors.push(
    ...oneOf(`${at}.terminationMessagePolicy`, terminationMessagePolicy, MESSAGE_POLICIES),
    ...portsErrors(`${at}.ports`, container),
  );
  for (const [index, variable] of (container.env ?? []).entries()) {
    errors.push(...envErrors(`${at}.env[${index}]`, variable));
  }
  const claims = (spec.resourceClaims ?? []).map((claim) => claim.name);
  return [
    ...errors,
    ...envFromErrors(`${at}.envFrom`, container),
    ...mountsErrors(at, container, spec),
    ...oneOf(`${at}.imagePullPolicy`, imagePullPolicy, PULL_POLICIES),
    ...containerResourcesErrors(`${at}.resources`, container.resources ?? {}, claims),
    ...resizePolicyErrors(`${at}.resizePolicy`, container.resizePolicy, spec.restartPolicy),
    ...containerContextErrors(
      `${at}.securityContext`,
      container.securityContext,
      spec.hostUsers !== false,
    ),
  ];
}

/** No two containers that run side by side take the same port of the host. */
function hostPortErrors(field: string, containers: readonly Container[]): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ protocol = "", hostIP = "", hostPort = 0 }, position) => {
      if (hostPort === 0) return [];
      const shown = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(shown)) {
        return [duplicate(`${field}[${index}].ports[${position}].hostPort`, shown)];
      }
      taken.add(shown);
      return [];
    }),
  );
}

function restartErrors(at: string, container: Container, isInit: boolean): FieldError[] {
  const { restartPolicy, restartPolicyRules = [] } = container;
  const field = `${at}.restartPolicy`;
  if (restartPolicy === undefined) {
    return restartPolicyRules.length === 0
      ? []
      : [required(field, "must specify restartPolicy when restart rules are used")];
  }
  const errors = oneOf(field, restartPolicy, RESTART_POLICIES);
  return isInit && restartPolicy === "Always" && restartPolicyRules.length > 0
    ? [
        ...errors,
        forbidden(
          `${at}.restartPolicyRules`,
          "restartPolicyRules are not allowed for init containers with restart policy Always",
        ),
      ]
    : errors;
}

function initErrors(at: string, container: Container, spec: PodSpec): FieldError[] {
  if (container.restartPolicy === "Always") return lifecycleErrors(at, container, spec);
  return (["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const).flatMap(
    (part) =>
      container[part]
        ? [
            forbidden(
              `${at}.${part}`,
              "may not be set for init containers without restartPolicy=Always",
            ),
          ]
        : [],
  );
}

/** The fields that an ephemeral container has. */
const EPHEMERAL: ReadonlySet<string> = new Set([
  "name",
  "image",
  "command",
  "args",
  "workingDir",
  "envFrom",
  "env",
  "volumeMounts",
  "volumeDevices",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "imagePullPolicy",
  "securityContext",
  "stdin",
  "stdinOnce",
  "tty",
  "targetContainerName",
  "resources",
]);

function ephemeralErrors(field: string, spec: PodSpec, others: ReadonlySet<string>): FieldError[] {
  const names = new Set(others);
  return (spec.ephemeralContainers ?? []).flatMap((container, index) => {
    const at = `${field}[${index}]`;
    const errors = commonErrors(at, container, spec);
    errors.push(...imageErrors(at, container));
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    const { targetContainerName: target = "" } = container;
    if (target !== "" && !others.has(target)) {
      errors.push(notFoundValue(`${at}.targetContainerName`, target));
    }
    for (const part of Object.keys(container)) {
      if (EPHEMERAL.has(part)) continue;
      errors.push(forbidden(`${at}.${part}`, "cannot be set for an Ephemeral Container"));
    }
    return errors;
  });
}

/** What the image of a pod's own container may not be; templates are not that strict. */
export function imageErrors(at: string, { image = "" }: Container): FieldError[] {
  return image === image.trim()
    ? []
    : [invalidValue(`${at}.image`, image, "must not have leading or trailing whitespace")];
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
