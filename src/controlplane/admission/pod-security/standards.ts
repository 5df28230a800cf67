/**
 * The checks of the levels `baseline` and `restricted`.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
import type { LevelVersion } from "./levels.ts";
import {
  type Check,
  type CheckedPod,
  type Violation,
  check,
  containersOf,
  counted,
  inContainers,
  inContexts,
  plural,
  quoted,
  sorted,
  use,
} from "./violation.ts";

/** The last minor version in which rules changed. */
const NEWEST_MINOR = 35;

/** The type of a profile of AppArmor or seccomp, if it is not allowed. */
const forbiddenType = (profile: { readonly type?: string } | undefined): string[] =>
  profile && !["RuntimeDefault", "Localhost"].includes(profile.type ?? "")
    ? [profile.type ?? ""]
    : [];

/** Annotations with a profile that is not allowed, as messages show them. */
const forbiddenAnnotations = (
  { metadata }: CheckedPod,
  isChecked: (key: string) => boolean,
  allowed: readonly string[],
): string[] =>
  Object.entries(metadata?.annotations ?? {})
    .filter(([key]) => isChecked(key))
    .filter(([, value]) => !allowed.includes(value) && !value.startsWith("localhost/"))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();

const APP_ARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/";

const appArmorProfile: Check = (pod) => {
  const bad = inContexts((context) => forbiddenType(context.appArmorProfile))(pod);
  const isChecked = (key: string): boolean => key.startsWith(APP_ARMOR_ANNOTATION);
  const annotations = forbiddenAnnotations(pod, isChecked, ["", "runtime/default"]);
  const all = [...sorted(bad?.values ?? []), ...annotations];
  if (all.length === 0) return undefined;
  const who = bad ? [bad.who] : [];
  if (annotations.length > 0) who.push(plural("annotation", annotations.length));
  return {
    reason: plural("forbidden AppArmor profile", all.length),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(all)}`,
  };
};

const CAPABILITIES = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

/** Finds capabilities that are added but not allowed. */
const inAddedCapabilities = (isAllowed: (capability: string) => boolean) =>
  inContainers(({ securityContext }) =>
    (securityContext?.capabilities?.add ?? []).filter((one) => !isAllowed(one)),
  );

const addsCapabilities = ({ who, values }: { who: string; values: readonly string[] }): string =>
  `${who} must not include ${quoted(sorted(values))} in securityContext.capabilities.add`;

const defaultCapabilities = check(
  "non-default capabilities",
  inAddedCapabilities((one) => CAPABILITIES.has(one)),
  addsCapabilities,
);

const hostNamespaces: Check = ({ spec }) => {
  const set = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name]);
  if (set.length === 0) return undefined;
  return { reason: "host namespaces", detail: set.map((name) => `${name}=true`).join(", ") };
};

const hostPathVolumes: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => "hostPath" in volume);
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => name);
  return { reason: "hostPath volumes", detail: counted("volume", names) };
};

const hostPorts = check(
  "hostPort",
  inContainers(({ ports }) =>
    (ports ?? []).flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)])),
  ),
  ({ who, names, values }) => {
    const ports = sorted(values);
    return `${who} ${use(names.length)} ${plural("hostPort", ports.length)} ${ports.join(", ")}`;
  },
);

const hostProbes = check(
  "probe or lifecycle host",
  inContainers(
    ({ livenessProbe, readinessProbe, startupProbe, lifecycle: { postStart, preStop } = {} }) =>
      [livenessProbe, readinessProbe, startupProbe, postStart, preStop]
        .flatMap((action) => [action?.httpGet?.host ?? "", action?.tcpSocket?.host ?? ""])
        .filter((host) => host !== ""),
  ),
  ({ names, values }) => {
    const who = sorted(names);
    const what = counted("probe or lifecycle host", sorted(values));
    return `${counted("container", who)} ${use(who.length)} ${what}`;
  },
);

const privileged = check(
  "privileged",
  inContainers(({ securityContext }) => (securityContext?.privileged ? [true] : [])),
  ({ who }) => `${who} must not set securityContext.privileged=true`,
);

const procMount = check(
  "procMount",
  inContainers(({ securityContext: { procMount: type = "Default" } = {} }) =>
    type === "Default" ? [] : [type],
  ),
  ({ who, values }) => `${who} must not set securityContext.procMount to ${quoted(sorted(values))}`,
);

const SELINUX_TYPES = ["", "container_t", "container_init_t", "container_kvm_t"];

const seLinuxOptions: Check = (pod, minor) => {
  const types = minor >= 31 ? [...SELINUX_TYPES, "container_engine_t"] : SELINUX_TYPES;
  const bad = inContexts(({ seLinuxOptions: { type = "", user, role } = {} }) =>
    types.includes(type) && !user && !role ? [] : [{ type, user, role }],
  )(pod);
  if (!bad) return undefined;
  const badTypes = bad.values.map(({ type }) => type).filter((type) => !types.includes(type));
  const what = [
    ...(badTypes.length > 0 ? [counted("type", sorted(badTypes))] : []),
    ...(bad.values.some(({ user }) => user) ? ["user may not be set"] : []),
    ...(bad.values.some(({ role }) => role) ? ["role may not be set"] : []),
  ].join("; ");
  return {
    reason: "seLinuxOptions",
    detail: `${bad.who} set forbidden securityContext.seLinuxOptions: ${what}`,
  };
};

/** A seccomp profile that is set but not allowed. */
const explicitSeccomp = check(
  "seccompProfile",
  inContexts((context) => forbiddenType(context.seccompProfile)),
  ({ who, values }) =>
    `${who} must not set securityContext.seccompProfile.type to ${quoted(sorted(values))}`,
);

const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";

const seccompAnnotations: Check = (pod) => {
  const keys = [SECCOMP_POD, ...containersOf(pod).map(({ name }) => SECCOMP_CONTAINER + name)];
  const allowed = ["runtime/default", "docker/default"];
  const bad = forbiddenAnnotations(pod, (key) => keys.includes(key), allowed);
  if (bad.length === 0) return undefined;
  const detail = `forbidden ${plural("annotation", bad.length)} ${bad.join(", ")}`;
  return { reason: "seccompProfile", detail };
};

/** The sysctls that are safe, and the minor version in which each became so. */
const SYSCTLS: ReadonlyMap<string, number> = new Map([
  ["kernel.shm_rmid_forced", 0],
  ["net.ipv4.ip_local_port_range", 0],
  ["net.ipv4.tcp_syncookies", 0],
  ["net.ipv4.ping_group_range", 0],
  ["net.ipv4.ip_unprivileged_port_start", 0],
  ["net.ipv4.ip_local_reserved_ports", 27],
  ["net.ipv4.tcp_keepalive_time", 29],
  ["net.ipv4.tcp_fin_timeout", 29],
  ["net.ipv4.tcp_keepalive_intvl", 29],
  ["net.ipv4.tcp_keepalive_probes", 29],
  ["net.ipv4.tcp_rmem", 32],
  ["net.ipv4.tcp_wmem", 32],
]);

const sysctls: Check = ({ spec }, minor) => {
  const bad = (spec.securityContext?.sysctls ?? [])
    .map(({ name }) => name)
    .filter((name) => minor < (SYSCTLS.get(name) ?? Infinity));
  return bad.length === 0 ? undefined : { reason: "forbidden sysctls", detail: bad.join(", ") };
};

const windowsHostProcess = check(
  "hostProcess",
  inContexts(({ windowsOptions }) => (windowsOptions?.hostProcess ? [true] : [])),
  ({ who }) => `${who} must not set securityContext.windowsOptions.hostProcess=true`,
);

const allowPrivilegeEscalation = check(
  "allowPrivilegeEscalation != false",
  inContainers(({ securityContext }) =>
    securityContext?.allowPrivilegeEscalation === false ? [] : [true],
  ),
  ({ who }) => `${who} must set securityContext.allowPrivilegeEscalation=false`,
);

const keptCapabilities = inContainers(({ securityContext }) =>
  securityContext?.capabilities?.drop?.includes("ALL") ? [] : [true],
);
const otherCapabilities = inAddedCapabilities((one) => one === "NET_BIND_SERVICE");

const restrictedCapabilities: Check = (pod) => {
  const [kept, added] = [keptCapabilities(pod), otherCapabilities(pod)];
  if (!kept && !added) return undefined;
  const details = [
    ...(kept ? [`${kept.who} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(added ? [addsCapabilities(added)] : []),
  ];
  return { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const ALLOWED_VOLUMES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

const volumeTypes: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter(
    (volume) => !ALLOWED_VOLUMES.some((type) => type in volume),
  );
  if (bad.length === 0) return undefined;
  // A volume has one field beside its name.
  const types = bad.map((volume) => Object.keys(volume).find((key) => key !== "name") ?? "unknown");
  const who = counted(
    "volume",
    bad.map(({ name }) => name),
  );
  const what = counted("restricted volume type", sorted(types));
  return { reason: "restricted volume types", detail: `${who} ${use(bad.length)} ${what}` };
};

const runAsRoot = check(
  "runAsNonRoot != true",
  inContexts((context) => (context.runAsNonRoot === false ? [false] : [])),
  ({ who }) => `${who} must not set securityContext.runAsNonRoot=false`,
);
const perhapsAsRoot = check(
  "runAsNonRoot != true",
  inContainers(({ securityContext }) =>
    securityContext?.runAsNonRoot === undefined ? [undefined] : [],
  ),
  ({ who }) => `pod or ${who} must set securityContext.runAsNonRoot=true`,
);

const runAsNonRoot: Check = (pod, minor) =>
  runAsRoot(pod, minor) ??
  (pod.spec.securityContext?.runAsNonRoot ? undefined : perhapsAsRoot(pod, minor));

const runAsUser = check(
  "runAsUser=0",
  inContexts(({ runAsUser: user }) => (user === 0 ? [user] : [])),
  ({ who }) => `${who} must not set runAsUser=0`,
);

const withoutSeccomp = check(
  "seccompProfile",
  inContainers(({ securityContext }) => (securityContext?.seccompProfile ? [] : [undefined])),
  ({ who }) =>
    `pod or ${who} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
);

const seccompProfile: Check = (pod, minor) =>
  explicitSeccomp(pod, minor) ??
  (pod.spec.securityContext?.seccompProfile ? undefined : withoutSeccomp(pod, minor));

interface Rule {
  readonly check: Check;
  /** The first minor version that checks it. */
  readonly from?: number;
  /** The first minor version that does not. */
  readonly until?: number;
  /** The first minor version in which `restricted` has a stricter rule in its place. */
  readonly replacedFrom?: number;
  /** The pods to which it does not apply. */
  readonly except?: (pod: CheckedPod, minor: number) => boolean;
}

const onWindows = ({ spec }: CheckedPod, minor: number): boolean =>
  minor >= 25 && spec.os?.name === "windows";

/** Whether the pod has its own user namespace, for which some rules are relaxed. */
const withOwnUsers = ({ spec }: CheckedPod, minor: number): boolean =>
  minor >= 35 && spec.hostUsers === false;

/** The rules in the order in which messages list them. */
const BASELINE: readonly Rule[] = [
  { check: appArmorProfile },
  { check: defaultCapabilities, replacedFrom: 22 },
  { check: hostNamespaces },
  { check: hostPathVolumes, replacedFrom: 0 },
  { check: hostPorts },
  { check: hostProbes, from: 34 },
  { check: privileged },
  { check: procMount, replacedFrom: 35, except: withOwnUsers },
  { check: seLinuxOptions },
  { check: seccompAnnotations, until: 19 },
  { check: explicitSeccomp, from: 19, replacedFrom: 19 },
  { check: sysctls },
  { check: windowsHostProcess },
];

/** The rules that come after those of `baseline`. */
const RESTRICTED: readonly Rule[] = [
  { check: allowPrivilegeEscalation, from: 8, except: onWindows },
  { check: restrictedCapabilities, from: 22, except: onWindows },
  { check: procMount, from: 35 },
  { check: volumeTypes },
  { check: runAsNonRoot, except: withOwnUsers },
  { check: runAsUser, from: 23, except: withOwnUsers },
  { check: seccompProfile, from: 19, except: onWindows },
];

/** The violations of a level by a pod; empty when there are none. */
export function violationsOf(pod: CheckedPod, { level, minor }: LevelVersion): Violation[] {
  if (level === "privileged") return [];
  const version = Math.min(minor, NEWEST_MINOR);
  const rules =
    level === "baseline"
      ? BASELINE
      : [
          ...BASELINE.filter(({ replacedFrom = Infinity }) => version < replacedFrom),
          ...RESTRICTED,
        ];
  return rules
    .filter(({ from = 0, until = Infinity }) => version >= from && version < until)
    .filter(({ except }) => !except?.(pod, version))
    .flatMap(({ check }) => check(pod, version) ?? []);
}
