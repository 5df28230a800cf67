/** Warnings about pods and pod templates. */
import { at } from "../../at.ts";
import { quote } from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors, labelValueErrors } from "../../../../kube/names.ts";
import type { ObjectMeta, SentObject } from "../../../../kube/object.ts";
import { addressWarnings } from "../addresses/warnings.ts";
import { fractionWarnings, volumeWarnings } from "../volumes/warnings.ts";
import type { Affinity, Container, PodSpec, PodTemplate } from "./shapes.ts";

type NodeSelectorTerm = NonNullable<
  NonNullable<
    NonNullable<Affinity["nodeAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]
  >["nodeSelectorTerms"]
>[number];

const LABELS: Readonly<Record<string, string>> = {
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
};

const SYSCTLS = 'non-functional in v1.11+; use the "sysctls" field instead';

const ANNOTATIONS: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": SYSCTLS,
  "security.alpha.kubernetes.io/unsafe-sysctls": SYSCTLS,
};

const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";
const NULL_SELECTOR = "a null labelSelector results in matching no pod";

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
  const { spec } = object;
  if (!spec.template || isUncounted(object, old)) return [];
  const { metadata = {}, spec: pod } = spec.template;
  return specWarnings("spec.template.spec", "spec.template.metadata", metadata, pod);
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

export function specWarnings(
  at: string,
  metaAt: string,
  metadata: ObjectMeta,
  spec: PodSpec,
): string[] {
  const warnings: string[] = [];
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const note = LABELS[key];
    if (note !== undefined) warnings.push(`${at}.nodeSelector[${key}]: ${note}`);
  }
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
  warnings.push(...nodeAffinityWarnings(`${at}.affinity.nodeAffinity`, nodeAffinity));
  for (const [index, constraint] of (spec.topologySpreadConstraints ?? []).entries()) {
    const field = `${at}.topologySpreadConstraints[${index}]`;
    const note = LABELS[constraint.topologyKey];
    if (note !== undefined)
      warnings.push(`${field}.topologyKey: ${constraint.topologyKey} is ${note}`);
    if (!constraint.labelSelector) warnings.push(`${field}.labelSelector: ${NULL_SELECTOR}`);
  }
  for (const [key, note] of Object.entries(ANNOTATIONS)) {
    if (metadata.annotations?.[key] !== undefined) {
      warnings.push(`${metaAt}.annotations[${key}]: ${note}`);
    }
  }
  warnings.push(
    ...volumeWarnings(`${at}.volumes`, spec.volumes ?? []),
    ...referenceWarnings(at, spec),
    ...annotationWarnings(`${metaAt}.annotations`, metadata, spec),
  );
  for (const [field, container] of containersOf(at, spec)) {
    warnings.push(...containerWarnings(field, container));
  }
  warnings.push(...portWarnings(containersOf(at, spec)));
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    warnings.push(
      `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
    );
  }
  warnings.push(
    ...podAffinityWarnings(`${at}.affinity.podAffinity`, podAffinity),
    ...podAffinityWarnings(`${at}.affinity.podAntiAffinity`, podAntiAffinity),
  );
  for (const [index, server] of (spec.dnsConfig?.nameservers ?? []).entries()) {
    warnings.push(...addressWarnings(`${at}.dnsConfig.nameservers[${index}]`, server));
  }
  for (const [index, { ip = "" }] of (spec.hostAliases ?? []).entries()) {
    warnings.push(...addressWarnings(`${at}.hostAliases[${index}].ip`, ip));
  }
  return warnings;
}

/** Warns about deprecated labels of nodes, and about values that no label can have. */
export function nodeTermWarnings(
  field: string,
  term: NodeSelectorTerm,
  checksValues: boolean,
): string[] {
  return (term.matchExpressions ?? []).flatMap(({ key, values = [] }, index) => {
    const at = `${field}.matchExpressions[${index}]`;
    const note = LABELS[key];
    const wrong = checksValues
      ? values.flatMap((value, position) =>
          labelValueErrors(value).map(
            (detail) => `${at}.values[${position}]: ${value} is invalid, ${detail}`,
          ),
        )
      : [];
    return note === undefined ? wrong : [`${at}.key: ${key} is ${note}`, ...wrong];
  });
}

function nodeAffinityWarnings(at: string, affinity: Affinity["nodeAffinity"]): string[] {
  const wanted = affinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const field = `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  return [
    ...(wanted?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      nodeTermWarnings(`${field}[${index}]`, term, false),
    ),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(
      ({ preference }, index) =>
        nodeTermWarnings(
          `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`,
          preference,
          true,
        ),
    ),
  ];
}

function podAffinityWarnings(at: string, affinity: Affinity["podAffinity"]): string[] {
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...required.map(
      ({ labelSelector }, index) =>
        [
          labelSelector,
          `${at}.requiredDuringSchedulingIgnoredDuringExecution[${index}].labelSelector`,
        ] as const,
    ),
    ...preferred.map(
      ({ podAffinityTerm }, index) =>
        [
          podAffinityTerm.labelSelector,
          `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm.labelSelector`,
        ] as const,
    ),
  ].flatMap(([selector, field]) => (selector ? [] : [`${field}: ${NULL_SELECTOR}`]));
}

/**
 * Warns about host aliases and secrets that are duplicates or have no name, and about fractional
 * amounts.
 */
function referenceWarnings(at: string, spec: PodSpec): string[] {
  const { hostAliases = [], imagePullSecrets = [], overhead = {} } = spec;
  const twice = (field: string, what: string, values: readonly string[], part: string): string[] =>
    values.flatMap((value, index) =>
      values.indexOf(value) < index
        ? [`${at}.${field}[${index}].${part}: duplicate ${what} ${quote(value)}`]
        : [],
    );
  const hosts = hostAliases.map(({ ip = "" }) => ip);
  const secrets = imagePullSecrets.map(({ name = "" }) => name);
  return [
    ...twice("hostAliases", "ip", hosts, "ip"),
    ...twice("imagePullSecrets", "name", secrets, "name"),
    ...secrets.flatMap((name, index) =>
      name === "" ? [`${at}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...["memory", "ephemeral-storage"].flatMap((name) =>
      fractionWarnings(`${at}.overhead[${name}]`, overhead[name]),
    ),
  ];
}

/** The containers in the order of the warnings, each with its path. */
const containersOf = (at: string, spec: PodSpec): [field: string, container: Container][] =>
  (["initContainers", "containers", "ephemeralContainers"] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index): [string, Container] => [
      `${at}.${list}[${index}]`,
      container,
    ]),
  );

function annotationWarnings(at: string, { annotations = {} }: ObjectMeta, spec: PodSpec): string[] {
  const warnings: string[] = [];
  const seccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  if (annotations[SECCOMP_POD] !== undefined && !spec.securityContext?.["seccompProfile"]) {
    warnings.push(`${at}[${SECCOMP_POD}]: ${seccomp}`);
  }
  for (const [, { name, securityContext: own }] of containersOf("", spec)) {
    const key = `${SECCOMP_CONTAINER}${name}`;
    if (annotations[key] !== undefined && !own?.seccompProfile) {
      warnings.push(`${at}[${key}]: ${seccomp}`);
    }
    const armor = `${APP_ARMOR}${name}`;
    if (annotations[armor] !== undefined && !own?.appArmorProfile) {
      warnings.push(
        `${at}[${armor}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
      );
    }
  }
  return warnings;
}

function containerWarnings(at: string, { resources, env = [] }: Container): string[] {
  const warnings = ["memory", "ephemeral-storage"].flatMap((name) =>
    (["limits", "requests"] as const).flatMap((part) =>
      fractionWarnings(`${at}.resources.${part}[${name}]`, resources?.[part]?.[name]),
    ),
  );
  const seen = new Set<string>();
  for (const [index, { name, value = "", valueFrom }] of env.entries()) {
    const reference = `$(${name})`;
    const hides = valueFrom !== undefined || value === reference || !value.includes(reference);
    if (seen.has(name) && hides) {
      warnings.push(
        `${at}.env[${index}]: hides previous definition of ${quote(name)}, which may be dropped when using apply`,
      );
    }
    seen.add(name);
  }
  return warnings;
}

/** Warns about duplicate ports across all containers. */
function portWarnings(containers: readonly (readonly [string, Container])[]): string[] {
  const all = containers.flatMap(([at, { ports = [] }]) =>
    ports.map((port, index) => ({ field: `${at}.ports[${index}]`, port })),
  );
  const warnings = all.flatMap(({ field, port }, index) => {
    const { hostIP = "", hostPort = 0, containerPort = 0, protocol = "", name = "" } = port;
    const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
    const alone =
      hostIP !== "" && hostPort === 0 ? [`${field}: hostIP set without hostPort: ${shown}`] : [];
    const others = all
      .slice(0, index)
      .filter(
        (other) => other.port.containerPort === containerPort && other.port.protocol === protocol,
      );
    return [
      ...alone,
      ...others.flatMap(({ field: otherField, port: other }) => {
        const { hostIP: otherIP = "", hostPort: otherPort = 0 } = other;
        if (hostIP === otherIP && hostPort === otherPort) {
          return [`${field}: duplicate port definition with ${otherField}`];
        }
        if (hostPort === 0 || otherPort === 0) {
          return [`${field}: overlapping port definition with ${otherField}`];
        }
        return hostPort === otherPort && (hostIP === "") !== (otherIP === "")
          ? [`${field}: dangerously ambiguous port definition with ${otherField}`]
          : [];
      }),
    ];
  });
  const names = new Map<string, string>();
  for (const { field, port } of all) {
    if (!port.name) continue;
    const first = names.get(port.name);
    if (first === undefined) names.set(port.name, field);
    else {
      warnings.push(
        `${field}: duplicate port name ${quote(port.name)} with ${first}, services and probes that select ports by name will use ${first}`,
      );
    }
  }
  return warnings;
}
