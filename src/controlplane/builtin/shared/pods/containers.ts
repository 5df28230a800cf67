/** Validation of containers: names, images, ports, environment, mounts. */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  nameErrorsAt,
  notFoundValue,
  notSupported,
  required,
  tooMany,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { backstepErrors, configKeyErrors, oneOf, portNameErrors, portNumber } from "../checks.ts";
import { containerResourcesErrors, resizePolicyErrors } from "./container-resources.ts";
import { fieldPathErrors, resourceFieldErrors } from "./field-references.ts";
import { devicesErrors, mountsErrors } from "./mounts.ts";
import { lifecycleErrors } from "./probes.ts";
import { containerContextErrors } from "./security-context.ts";
import type { Container, EnvVar, PodSpec, Volume } from "./shapes.ts";

const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];
const MESSAGE_POLICIES = ["File", "FallbackToLogsOnError"];
const RESTART_POLICIES = ["Always", "Never", "OnFailure"];
const RULE_ACTIONS = ["Restart", "RestartAllContainers"];
const MAX_RULES = 20;
const MAX_CODES = 255;
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

/** Validates the containers of a pod, init containers after the others. */
export function containersErrors(
  field: string,
  spec: PodSpec,
  volumes: ReadonlyMap<string, Volume>,
): FieldError[] {
  const names = new Set<string>();
  const containers = spec.containers ?? [];
  const errors = containers.length === 0 ? [required(`${field}.containers`)] : [];
  for (const [index, container] of containers.entries()) {
    const at = `${field}.containers[${index}]`;
    errors.push(...commonErrors(at, container, spec, volumes));
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    errors.push(...lifecycleErrors(at, container, spec), ...restartErrors(at, container, false));
  }
  errors.push(...hostPortErrors(`${field}.containers`, containers));
  const own = new Set(names);
  for (const [index, container] of (spec.initContainers ?? []).entries()) {
    const at = `${field}.initContainers[${index}]`;
    errors.push(
      ...commonErrors(at, container, spec, volumes),
      ...restartErrors(at, container, true),
    );
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    else if (container.name !== "") names.add(container.name);
    own.add(container.name);
    errors.push(...hostPortErrors(`${field}.initContainers`, [container]));
    errors.push(...initErrors(at, container, spec));
  }
  return [...errors, ...ephemeralErrors(`${field}.ephemeralContainers`, spec, own, volumes)];
}

function commonErrors(
  at: string,
  container: Container,
  spec: PodSpec,
  volumes: ReadonlyMap<string, Volume>,
): FieldError[] {
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
  const claims = (spec.resourceClaims ?? [])
    .map((claim) => claim.name)
    .filter((name) => name !== "");
  return [
    ...errors,
    ...envFromErrors(`${at}.envFrom`, container),
    ...mountsErrors(`${at}.volumeMounts`, container, volumes),
    ...devicesErrors(`${at}.volumeDevices`, container, volumes),
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

/** Validates that no two containers that run at the same time use the same host port. */
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
  const errors: FieldError[] = [];
  if (restartPolicy !== undefined) errors.push(...oneOf(field, restartPolicy, RESTART_POLICIES));
  else if (restartPolicyRules.length > 0) {
    errors.push(required(field, "must specify restartPolicy when restart rules are used"));
  }
  errors.push(...restartRulesErrors(`${at}.restartPolicyRules`, restartPolicyRules));
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

function restartRulesErrors(
  field: string,
  rules: NonNullable<Container["restartPolicyRules"]>,
): FieldError[] {
  const errors = rules.length > MAX_RULES ? [tooMany(field, rules.length, MAX_RULES)] : [];
  for (const [index, { action = "", exitCodes }] of rules.entries()) {
    const at = `${field}[${index}]`;
    errors.push(...oneOf(`${at}.action`, action, RULE_ACTIONS));
    if (!exitCodes) {
      errors.push(required(`${at}.exitCodes`, "must be specified"));
      continue;
    }
    const { operator = "", values = [] } = exitCodes;
    errors.push(...oneOf(`${at}.exitCodes.operator`, operator, ["In", "NotIn"]));
    if (values.length > MAX_CODES) {
      errors.push(tooMany(`${at}.exitCodes.values`, values.length, MAX_CODES));
    }
  }
  return errors;
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

/** The fields that an ephemeral container may have. */
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

function ephemeralErrors(
  field: string,
  spec: PodSpec,
  others: ReadonlySet<string>,
  volumes: ReadonlyMap<string, Volume>,
): FieldError[] {
  const names = new Set(others);
  return (spec.ephemeralContainers ?? []).flatMap((container, index) => {
    const at = `${field}[${index}]`;
    const errors = commonErrors(at, container, spec, volumes);
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

/** Validates the image of a container of a pod; templates are validated less strictly. */
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
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (fieldRef) errors.push(...fieldPathErrors(`${from}.fieldRef`, fieldRef, ENV_FIELDS));
  if (resourceFieldRef) {
    errors.push(...resourceFieldErrors(`${from}.resourceFieldRef`, resourceFieldRef, false));
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
  if (fileKeyRef) errors.push(...fileKeyErrors(`${from}.fileKeyRef`, fileKeyRef));
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

/** Validates a variable that is read from a file in a volume. */
function fileKeyErrors(
  at: string,
  { key = "", volumeName = "", path = "" }: { key?: string; volumeName?: string; path?: string },
): FieldError[] {
  return [
    ...(key === "" ? [required(`${at}.key`)] : nameErrorsAt(`${at}.key`, key, envNameErrors)),
    ...(volumeName === ""
      ? [required(`${at}.volumeName`)]
      : nameErrorsAt(`${at}.volumeName`, volumeName, dns1123LabelErrors)),
    ...(path === "" ? [required(`${at}.path`)] : backstepErrors(`${at}.path`, path)),
  ];
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
