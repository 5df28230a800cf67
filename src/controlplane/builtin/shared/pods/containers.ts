/** Validation of containers: names, images, ports, environment, mounts. */
import type { Check } from "../../../../kube/check.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { checkNoBackstep, checkPortNumber, configKeyErrors, portNameErrors } from "../checks.ts";
import { checkResizePolicies, checkResources } from "./container-resources.ts";
import { checkFieldRef, checkResourceFieldRef } from "./field-references.ts";
import { checkDevices, checkMounts } from "./mounts.ts";
import { checkLifecycle } from "./probes.ts";
import { checkContainerContext } from "./security-context.ts";
import type {
  Container,
  ContainerPort,
  EnvSource,
  EnvVar,
  PodSpec,
  RestartRule,
  Volume,
} from "./pod-shapes.ts";

const MAX_RULES = 20;
const MAX_CODES = 255;

type Volumes = ReadonlyMap<string, Volume>;

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
export function checkContainers(spec: Check<PodSpec>, volumes: Volumes): void {
  const { terminationGracePeriodSeconds } = spec.value;
  const names = new Set<string>();
  const containers = spec.at("containers");
  containers.given();
  containers.each((container) => {
    checkCommon(container, spec.value, volumes);
    container.at("name").uniqueIn(names);
    checkLifecycle(container, terminationGracePeriodSeconds);
    checkRestarts(container);
  });
  const ports = new Set<string>();
  containers.each((container) => checkHostPorts(container, ports));
  const own = new Set(names);
  spec.at("initContainers").each((container) => {
    const { name, restartPolicy, restartPolicyRules = [] } = container.value;
    checkCommon(container, spec.value, volumes);
    checkRestarts(container);
    if (restartPolicy === "Always" && restartPolicyRules.length > 0) {
      container
        .at("restartPolicyRules")
        .forbidden(
          "restartPolicyRules are not allowed for init containers with restart policy Always",
        );
    }
    if (names.has(name)) container.at("name").duplicate();
    else if (name !== "") names.add(name);
    own.add(name);
    checkHostPorts(container, new Set());
    if (restartPolicy === "Always") checkLifecycle(container, terminationGracePeriodSeconds);
    else refuseLifecycle(container);
  });
  checkEphemeralContainers(spec, own, volumes);
}

function checkCommon(container: Check<Container>, spec: PodSpec, volumes: Volumes): void {
  const claims = (spec.resourceClaims ?? []).map(({ name }) => name).filter((name) => name !== "");
  const portNames = new Set<string>();
  container.at("name").givenName(dns1123LabelErrors);
  container.at("image").given();
  container.at("terminationMessagePolicy").oneOf(["File", "FallbackToLogsOnError"]);
  container.at("ports").each((port) => checkPort(port, portNames));
  container.at("env").each(checkVariable);
  const sources = container.at("envFrom");
  sources.each((source) => checkEnvSource(source, sources.as("")));
  checkMounts(container, volumes);
  checkDevices(container, volumes);
  container.at("imagePullPolicy").oneOf(["Always", "IfNotPresent", "Never"]);
  container.at("resources").ifSet((resources) => checkResources(resources, claims));
  checkResizePolicies(container.at("resizePolicy"), spec.restartPolicy);
  container
    .at("securityContext")
    .ifSet((context) => checkContainerContext(context, spec.hostUsers !== false));
}

/** Validates that no two containers that run at the same time use the same host port. */
function checkHostPorts(container: Check<Container>, taken: Set<string>): void {
  container.at("ports").each((port) => {
    const { protocol = "", hostIP = "", hostPort = 0 } = port.value;
    if (hostPort !== 0) {
      port.child("hostPort", `${protocol}/${hostIP}/${hostPort}`).uniqueIn(taken);
    }
  });
}

function checkRestarts(container: Check<Container>): void {
  const policy = container.at("restartPolicy");
  const rules = container.at("restartPolicyRules");
  if (policy.value !== undefined) policy.oneOf(["Always", "Never", "OnFailure"]);
  else if (rules.count > 0)
    policy.required("must specify restartPolicy when restart rules are used");
  rules.atMost(MAX_RULES);
  rules.each(checkRestartRule);
}

function checkRestartRule(rule: Check<RestartRule>): void {
  rule.at("action").oneOf(["Restart", "RestartAllContainers"]);
  const codes = rule.at("exitCodes");
  if (!codes.given("must be specified")) return;
  codes.at("operator").oneOf(["In", "NotIn"]);
  codes.at("values").atMost(MAX_CODES);
}

function refuseLifecycle(container: Check<Container>): void {
  for (const part of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
    container.at(part).ifSet((it) => {
      it.forbidden("may not be set for init containers without restartPolicy=Always");
    });
  }
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

function checkEphemeralContainers(
  spec: Check<PodSpec>,
  others: ReadonlySet<string>,
  volumes: Volumes,
): void {
  const names = new Set(others);
  spec.at("ephemeralContainers").each((container) => {
    checkCommon(container, spec.value, volumes);
    checkImage(container);
    container.at("name").uniqueIn(names);
    const target = container.at("targetContainerName");
    if (target.value && !others.has(target.value)) target.notFound();
    for (const part of Object.keys(container.value)) {
      if (EPHEMERAL.has(part)) continue;
      container.child(part, undefined).forbidden("cannot be set for an Ephemeral Container");
    }
  });
}

/** Validates the image of a container of a pod; templates are validated less strictly. */
export function checkImage(container: Check<Container>): void {
  const image = container.at("image");
  if (image.value !== image.value?.trim()) {
    image.invalid("must not have leading or trailing whitespace");
  }
}

function checkPort(port: Check<ContainerPort>, names: Set<string>): void {
  const { containerPort, hostPort = 0 } = port.value;
  const name = port.at("name");
  if (name.value) {
    name.named(portNameErrors);
    name.uniqueIn(names);
  }
  if (containerPort === 0) port.at("containerPort").required();
  else checkPortNumber(port.at("containerPort"));
  if (hostPort !== 0) checkPortNumber(port.at("hostPort"));
  if (port.at("protocol").given()) port.at("protocol").oneOf(["SCTP", "TCP", "UDP"]);
}

const ENV_NAME =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

const envNameErrors = (name: string): string[] => (/^[ -<>-~]+$/.test(name) ? [] : [ENV_NAME]);

function checkVariable(variable: Check<EnvVar>): void {
  variable.at("name").givenName(envNameErrors);
  const from = variable.at("valueFrom");
  if (!from.value) return;
  from.at("fieldRef").ifSet((reference) => checkFieldRef(reference, ENV_FIELDS));
  from.at("resourceFieldRef").ifSet((reference) => checkResourceFieldRef(reference, false));
  for (const part of ["configMapKeyRef", "secretKeyRef"] as const) {
    from.at(part).ifSet((reference) => {
      reference.at("name").named(dns1123SubdomainErrors);
      reference.at("key").givenName(configKeyErrors);
    });
  }
  from.at("fileKeyRef").ifSet((reference) => {
    const path = reference.at("path");
    reference.at("key").givenName(envNameErrors);
    reference.at("volumeName").givenName(dns1123LabelErrors);
    if (path.given()) checkNoBackstep(path);
  });
  const sources = Object.keys(from.value).length;
  if (sources === 0) {
    const known =
      "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    from.invalid(`must specify one of: ${known}`, "");
  } else if (variable.value.value) {
    from.invalid("may not be specified when `value` is not empty", "");
  } else if (sources > 1) {
    from.invalid("may not have more than one field specified at a time", "");
  }
}

/** @param list - the list of the sources, where messages about their number stand */
function checkEnvSource(source: Check<EnvSource>, list: Check<string>): void {
  const { configMapRef, secretRef } = source.value;
  source.at("prefix").nameIfGiven(envNameErrors);
  for (const part of ["configMapRef", "secretRef"] as const) {
    source.at(part).ifSet((reference) => reference.at("name").named(dns1123SubdomainErrors));
  }
  if (!configMapRef && !secretRef) {
    list.invalid("must specify one of: `configMapRef` or `secretRef`");
  } else if (configMapRef && secretRef) {
    list.invalid("may not have more than one field specified at a time");
  }
}
