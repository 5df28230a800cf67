/**
 * What the writer of a pod, or of a template of pods, is told although it is let through.
 *
 * @module
 */
import type { KubeObject, ObjectMeta } from "../../../kube/object.ts";
import { parseQuantity } from "../../../kube/quantity.ts";
import type { Container, Pod, PodSpec, PodTemplate, Volume } from "./pod-shapes.ts";
import type { Job } from "./workload-shapes.ts";

const LABELS: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type":
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};
const VOLUMES: Readonly<Record<string, string>> = {
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
};
const VOLUME_NAMES: Readonly<Record<string, string>> = { storageos: "storageOS" };
const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";
const WHOLE = 1_000_000_000n;

/** Warnings on a Pod; a change of its status or metadata alone brings none. */
export function podWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const { metadata, spec } = object as Pod;
  return specWarnings("spec", "metadata", metadata, spec, old ? undefined : metadata.name);
}

/** Warnings on the kinds whose template stands in `spec.template`. */
export function templateWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const { spec } = object as KubeObject & { spec: { template?: PodTemplate } };
  const before = (old as (typeof object & { spec: { template?: PodTemplate } }) | undefined)?.spec;
  if (!spec.template || JSON.stringify(before?.template) === JSON.stringify(spec.template)) {
    return [];
  }
  const { metadata = {}, spec: pod } = spec.template;
  const name = old ? undefined : object.metadata.name;
  return specWarnings("spec.template.spec", "spec.template.metadata", metadata, pod, name);
}

/** Warnings on Jobs. */
export function jobWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const { completionMode, completions = 0, parallelism = 0 } = (object as Job).spec;
  const tooMany =
    completionMode === "Indexed" && completions > 100_000 && parallelism > 10_000
      ? [
          "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail",
        ]
      : [];
  const names = nameWarnings(old ? undefined : object.metadata.name);
  return [...new Set([...names, ...tooMany, ...templateWarnings(object, old)])];
}

function nameWarnings(name: string | undefined): string[] {
  return name?.includes(".")
    ? [
        "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
      ]
    : [];
}

function specWarnings(
  at: string,
  metaAt: string,
  metadata: ObjectMeta,
  spec: PodSpec,
  name: string | undefined,
): string[] {
  const warnings = nameWarnings(name);
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const note = LABELS[key];
    if (note !== undefined) warnings.push(`${at}.nodeSelector[${key}]: ${note}`);
  }
  for (const [index, constraint] of (spec.topologySpreadConstraints ?? []).entries()) {
    const field = `${at}.topologySpreadConstraints[${index}]`;
    const note = LABELS[constraint.topologyKey];
    if (note !== undefined)
      warnings.push(`${field}.topologyKey: ${constraint.topologyKey} is ${note}`);
    if (!constraint.labelSelector) {
      warnings.push(`${field}.labelSelector: a null labelSelector results in matching no pod`);
    }
  }
  warnings.push(...annotationWarnings(`${metaAt}.annotations`, metadata, spec));
  const hosts = new Set<string>();
  for (const [index, { ip = "" }] of (spec.hostAliases ?? []).entries()) {
    if (hosts.has(ip))
      warnings.push(`${at}.hostAliases[${index}].ip: duplicate ip ${JSON.stringify(ip)}`);
    hosts.add(ip);
  }
  warnings.push(...volumeWarnings(`${at}.volumes`, spec.volumes ?? []));
  const secrets = new Set<string>();
  for (const [index, secret] of (spec.imagePullSecrets ?? []).entries()) {
    const field = `${at}.imagePullSecrets[${index}].name`;
    const { name: secretName = "" } = secret;
    if (secretName === "") warnings.push(`${field}: invalid empty name ""`);
    else if (secrets.has(secretName))
      warnings.push(`${field}: duplicate name ${JSON.stringify(secretName)}`);
    secrets.add(secretName);
  }
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    warnings.push(
      `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
    );
  }
  for (const list of ["initContainers", "containers"] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      warnings.push(...containerWarnings(`${at}.${list}[${index}]`, container));
    }
  }
  return [...warnings, ...portWarnings(at, spec)];
}

function annotationWarnings(
  at: string,
  { annotations = {} }: ObjectMeta,
  { securityContext, containers }: PodSpec,
): string[] {
  const warnings: string[] = [];
  const seccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  if (annotations[SECCOMP_POD] !== undefined && !securityContext?.["seccompProfile"]) {
    warnings.push(`${at}[${SECCOMP_POD}]: ${seccomp}`);
  }
  for (const { name, securityContext: own } of containers ?? []) {
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

function volumeWarnings(at: string, volumes: readonly Volume[]): string[] {
  return volumes.flatMap((volume, index) =>
    Object.keys(volume).flatMap((source) => {
      const note = VOLUMES[source];
      return note === undefined
        ? []
        : [`${at}[${index}].${VOLUME_NAMES[source] ?? source}: ${note}`];
    }),
  );
}

function containerWarnings(at: string, { resources, env = [] }: Container): string[] {
  const warnings: string[] = [];
  for (const part of ["limits", "requests"] as const) {
    for (const name of ["memory", "ephemeral-storage"]) {
      const amount = resources?.[part]?.[name];
      if (amount === undefined || parseQuantity(amount).nanos % WHOLE === 0n) continue;
      warnings.push(
        `${at}.resources.${part}[${name}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
      );
    }
  }
  const seen = new Map<string, string | undefined>();
  for (const [index, { name, value }] of env.entries()) {
    const hides = seen.has(name) && !(value ?? "").includes(`$(${name})`);
    if (hides) {
      warnings.push(
        `${at}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
      );
    }
    seen.set(name, value);
  }
  return warnings;
}

/** Ports that stand twice: in one container, or in containers that run side by side. */
function portWarnings(at: string, spec: PodSpec): string[] {
  const warnings: string[] = [];
  const ports = new Map<string, string>();
  const names = new Map<string, string>();
  const lists = [
    [
      "initContainers",
      (spec.initContainers ?? []).map((one) => (one.restartPolicy === "Always" ? one : undefined)),
    ],
    ["containers", spec.containers ?? []],
  ] as const;
  for (const [list, containers] of lists) {
    for (const [index, container] of containers.entries()) {
      for (const [position, port] of (container?.ports ?? []).entries()) {
        const field = `${at}.${list}[${index}].ports[${position}]`;
        const key = [port.containerPort, port.protocol, port.hostIP, port.hostPort].join();
        const twin = ports.get(key);
        if (twin !== undefined) warnings.push(`${field}: duplicate port definition with ${twin}`);
        else ports.set(key, field);
        if (!port.name) continue;
        const namesake = names.get(port.name);
        const isOther = namesake !== undefined && !namesake.startsWith(`${at}.${list}[${index}].`);
        if (isOther) {
          warnings.push(
            `${field}: duplicate port name ${JSON.stringify(port.name)} with ${namesake}, services and probes that select ports by name will use ${namesake}`,
          );
        } else names.set(port.name, field);
      }
    }
  }
  return warnings;
}
