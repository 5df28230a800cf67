/** Warnings about pods and pod templates. */
import { at } from "../../at.ts";
import type { Check } from "../../../../kube/check.ts";
import { quote } from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors, labelValueErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { warnOfAddress } from "../addresses/warnings.ts";
import { type Warn, warningsOf } from "../checks.ts";
import { warnOfFraction, warnOfVolumes } from "../volumes/warnings.ts";
import { APP_ARMOR } from "./pod-spec.ts";
import { PREFERRED, REQUIRED } from "../pods/scheduling.ts";
import {
  type Container,
  type ContainerPort,
  type NodeTerm,
  type PodSpec,
  type PodTemplate,
  eachContainer,
} from "../pods/pod-shapes.ts";
import { tableOf } from "../../../../table.ts";

const LABELS = tableOf<string>({
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type":
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods":
    "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
});

const SYSCTLS = 'non-functional in v1.11+; use the "sysctls" field instead';

const ANNOTATIONS: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": SYSCTLS,
  "security.alpha.kubernetes.io/unsafe-sysctls": SYSCTLS,
};

const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";

/**
 * Whether a write leaves the generation of a workload as it was, or the template of a DaemonSet.
 */
export function isUncounted(object: SentObject, old: SentObject | undefined): boolean {
  if (!old) return false;
  if (object.kind !== "DaemonSet") return object.metadata.generation === old.metadata.generation;
  const templateOf = (one: SentObject): unknown => at(one, "spec.template");
  return JSON.stringify(templateOf(object)) === JSON.stringify(templateOf(old));
}

export type Templated = SentObject & { spec: { template?: PodTemplate } };

/** Warnings about workloads whose template is in `spec.template`. */
export function templateWarnings(object: Templated, old: SentObject | undefined): string[] {
  const { template } = object.spec;
  return template && !isUncounted(object, old) ? podWarnings(template, "spec.template") : [];
}

/**
 * Warnings about Deployments and ReplicaSets: those of their template, and about names that are
 * unsuitable for pods.
 */
export function namedTemplateWarnings(object: Templated, old: SentObject | undefined): string[] {
  return [
    ...nameWarnings(old ? undefined : object.metadata.name),
    ...templateWarnings(object, old),
  ];
}

/** @param use - the use of the name, for the message */
export function nameWarnings(name: string | undefined, use = "Pod names and hostnames"): string[] {
  const problems = name === undefined ? [] : dns1123LabelErrors(name);
  return problems.length > 0
    ? [
        `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
      ]
    : [];
}

/** Warnings about a pod, or the template of one at `field`. */
export const podWarnings = (pod: PodTemplate, field = ""): string[] =>
  warningsOf(pod, warnOfPod, field);

function warnOfPod(pod: Check<PodTemplate>, warn: Warn): void {
  const spec = pod.at("spec");
  const annotations = pod.at("metadata", "annotations");
  spec.at("nodeSelector").eachEntry((label, key) => {
    const note = LABELS.get(key);
    if (note !== undefined) warn(label, note);
  });
  const node = spec.at("affinity", "nodeAffinity");
  node.at(REQUIRED, "nodeSelectorTerms").each((term) => warnOfNodeTerm(term, warn, false));
  node.at(PREFERRED).each((term) => warnOfNodeTerm(term.at("preference"), warn, true));
  spec.at("topologySpreadConstraints").each((constraint) => {
    const key = constraint.at("topologyKey");
    const note = LABELS.get(key.value);
    if (note !== undefined) warn(key, `${key.value} is ${note}`);
    warnOfSelector(constraint, warn);
  });
  for (const [key, note] of Object.entries(ANNOTATIONS)) {
    annotations.entry(key).ifSet((annotation) => warn(annotation, note));
  }
  warnOfVolumes(spec.at("volumes"), warn);
  warnOfReferences(spec, warn);
  warnOfProfiles(pod, warn);
  eachContainer(spec, (container) => warnOfContainer(container, warn));
  warnOfPorts(spec, warn);
  spec.at("terminationGracePeriodSeconds").ifSet((seconds) => {
    if (seconds.value >= 0) return;
    warn(seconds, "must be >= 0; negative values are invalid and will be treated as 1");
  });
  for (const part of ["podAffinity", "podAntiAffinity"] as const) {
    const affinity = spec.at("affinity", part);
    affinity.at(REQUIRED).each((term) => warnOfSelector(term, warn));
    affinity.at(PREFERRED).each((term) => warnOfSelector(term.at("podAffinityTerm"), warn));
  }
  spec.at("dnsConfig", "nameservers").each((server) => warnOfAddress(server, warn));
  spec.at("hostAliases").each((alias) => warnOfAddress(alias.at("ip"), warn));
}

/** Warns about deprecated labels of nodes, and about values that no label can have. */
export function warnOfNodeTerm(term: Check<NodeTerm>, warn: Warn, checksValues: boolean): void {
  term.at("matchExpressions").each((expression) => {
    const key = expression.at("key");
    const note = LABELS.get(key.value);
    if (note !== undefined) warn(key, `${key.value} is ${note}`);
    if (!checksValues) return;
    expression.at("values").each((value) => {
      for (const detail of labelValueErrors(value.value)) {
        warn(value, `${value.value} is invalid, ${detail}`);
      }
    });
  });
}

function warnOfSelector(term: Check<{ labelSelector?: object }>, warn: Warn): void {
  const selector = term.at("labelSelector");
  if (!selector.value) warn(selector, "a null labelSelector results in matching no pod");
}

/**
 * Warns about host aliases and secrets that are duplicates or have no name, and about fractional
 * amounts.
 */
function warnOfReferences(spec: Check<PodSpec>, warn: Warn): void {
  const warnIfSeen = (seen: Set<string>, text: Check<string>, what: string): void => {
    if (seen.has(text.value)) warn(text, `duplicate ${what} ${quote(text.value)}`);
    seen.add(text.value);
  };
  const ips = new Set<string>();
  const names = new Set<string>();
  const secrets = spec.at("imagePullSecrets");
  spec.at("hostAliases").each((alias) => warnIfSeen(ips, alias.at("ip"), "ip"));
  secrets.each((secret) => {
    warnIfSeen(names, secret.child("name", secret.value.name ?? ""), "name");
  });
  secrets.each((secret) => {
    if (!secret.value.name) warn(secret.at("name"), 'invalid empty name ""');
  });
  for (const name of FRACTIONAL) warnOfFraction(spec.at("overhead").entry(name), warn);
}

/** The amounts in bytes, of which fractions make no sense. */
const FRACTIONAL = ["memory", "ephemeral-storage"];

/** Warns about annotations that stand for profiles of the security context. */
function warnOfProfiles(pod: Check<PodTemplate>, warn: Warn): void {
  const annotations = pod.at("metadata", "annotations");
  const replaced = (key: string, field: string, since: string): void => {
    const note = `${since}; use the "${field}" field instead`;
    annotations.entry(key).ifSet((annotation) => warn(annotation, note));
  };
  const seccomp = ["seccompProfile", "non-functional in v1.27+"] as const;
  if (!pod.value.spec.securityContext?.seccompProfile) replaced(SECCOMP_POD, ...seccomp);
  eachContainer(pod.at("spec"), ({ value: { name, securityContext: own } }) => {
    if (!own?.seccompProfile) replaced(`${SECCOMP_CONTAINER}${name}`, ...seccomp);
    if (own?.appArmorProfile) return;
    replaced(`${APP_ARMOR}${name}`, "appArmorProfile", "deprecated since v1.30");
  });
}

function warnOfContainer(container: Check<Container>, warn: Warn): void {
  for (const name of FRACTIONAL) {
    for (const part of ["limits", "requests"] as const) {
      warnOfFraction(container.at("resources", part).entry(name), warn);
    }
  }
  const seen = new Set<string>();
  container.at("env").each((variable) => {
    const { name, value = "", valueFrom } = variable.value;
    const reference = `$(${name})`;
    const hides = valueFrom !== undefined || value === reference || !value.includes(reference);
    if (seen.has(name) && hides) {
      const what = `hides previous definition of ${quote(name)}`;
      warn(variable, `${what}, which may be dropped when using apply`);
    }
    seen.add(name);
  });
}

/** Warns about duplicate ports across all containers. */
function warnOfPorts(spec: Check<PodSpec>, warn: Warn): void {
  const before: Check<ContainerPort>[] = [];
  eachContainer(spec, (container) =>
    container.at("ports").each((port) => {
      const { hostIP = "", hostPort = 0, containerPort, protocol = "", name = "" } = port.value;
      if (hostIP !== "" && hostPort === 0) {
        const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
        warn(port, `hostIP set without hostPort: ${shown}`);
      }
      for (const { field, value: other } of before) {
        const { hostIP: otherIP = "", hostPort: otherPort = 0, protocol: its = "" } = other;
        if (other.containerPort !== containerPort || its !== protocol) continue;
        if (hostIP === otherIP && hostPort === otherPort) {
          warn(port, `duplicate port definition with ${field}`);
        } else if (hostPort === 0 || otherPort === 0) {
          warn(port, `overlapping port definition with ${field}`);
        } else if (hostPort === otherPort && (hostIP === "") !== (otherIP === "")) {
          warn(port, `dangerously ambiguous port definition with ${field}`);
        }
      }
      before.push(port);
    }),
  );
  const names = new Map<string, string>();
  for (const port of before) {
    const { name } = port.value;
    if (!name) continue;
    const first = names.get(name);
    if (first === undefined) names.set(name, port.field);
    else {
      const what = `duplicate port name ${quote(name)} with ${first}`;
      warn(port, `${what}, services and probes that select ports by name will use ${first}`);
    }
  }
}
