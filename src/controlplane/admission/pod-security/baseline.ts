/**
 * The checks of the level `baseline`.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline
 */
import { type CheckedContainer, type CheckedPod, containersOf } from "./pod-shape.ts";
import {
  type Violation,
  counted,
  namesOf,
  plural,
  quoted,
  setters,
  sorted,
  violationBy,
} from "./violation.ts";

/** A check of a pod, by the rules of a minor version; `undefined` when the pod passes. */
export type Check = (pod: CheckedPod, minor: number) => Violation | undefined;

const APP_ARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/";
const PROFILES = ["RuntimeDefault", "Localhost"];

function appArmorProfile({ metadata, spec }: CheckedPod): Violation | undefined {
  const isBad = (type: string | undefined): boolean => !PROFILES.includes(type ?? "");
  const own = spec.securityContext?.appArmorProfile;
  const ofPod = own !== undefined && isBad(own.type);
  const bad = containersOf(spec).filter(({ securityContext }) => {
    const profile = securityContext?.appArmorProfile;
    return profile !== undefined && isBad(profile.type);
  });
  const values = sorted([
    ...(ofPod ? [spec.securityContext?.appArmorProfile?.type ?? ""] : []),
    ...bad.map(({ securityContext }) => securityContext?.appArmorProfile?.type ?? ""),
  ]);
  const annotations = Object.entries(metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(APP_ARMOR_ANNOTATION) && !isKnownArmor(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const all = [...values, ...annotations];
  if (all.length === 0) return undefined;
  const who = [
    ...(ofPod || bad.length > 0 ? [setters(ofPod, namesOf(bad))] : []),
    ...(annotations.length > 0 ? [plural("annotation", "annotations", annotations.length)] : []),
  ].join(" and ");
  return {
    reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", all.length),
    detail: `${who} must not set AppArmor profile type to ${quoted(all)}`,
  };
}

const isKnownArmor = (value: string): boolean =>
  value === "" || value === "runtime/default" || value.startsWith("localhost/");

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

function capabilities(pod: CheckedPod): Violation | undefined {
  const added = ({ securityContext }: CheckedContainer): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((one) => !CAPABILITIES.has(one));
  return violationBy(
    pod,
    (container) => added(container).length > 0,
    "non-default capabilities",
    (bad) =>
      `must not include ${quoted(sorted(bad.flatMap(added)))} in securityContext.capabilities.add`,
  );
}

function hostNamespaces({ spec }: CheckedPod): Violation | undefined {
  const set = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name]);
  if (set.length === 0) return undefined;
  return { reason: "host namespaces", detail: set.map((name) => `${name}=true`).join(", ") };
}

function hostPathVolumes({ spec }: CheckedPod): Violation | undefined {
  const bad = (spec.volumes ?? []).filter((volume) => "hostPath" in volume);
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => name);
  return { reason: "hostPath volumes", detail: counted("volume", names) };
}

function hostPorts(pod: CheckedPod): Violation | undefined {
  const portsOf = ({ ports }: CheckedContainer): string[] =>
    (ports ?? []).flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]));
  const hasPorts = (container: CheckedContainer): boolean => portsOf(container).length > 0;
  return violationBy(pod, hasPorts, "hostPort", (bad) => {
    const ports = sorted(bad.flatMap(portsOf));
    const what = plural("hostPort", "hostPorts", ports.length);
    return `${plural("uses", "use", bad.length)} ${what} ${ports.join(", ")}`;
  });
}

function hostProbes({ spec }: CheckedPod, minor: number): Violation | undefined {
  if (minor < 34) return undefined;
  const hostsOf = (container: CheckedContainer): string[] =>
    [
      container.livenessProbe,
      container.readinessProbe,
      container.startupProbe,
      container.lifecycle?.postStart,
      container.lifecycle?.preStop,
    ]
      .flatMap((action) => [action?.httpGet?.host ?? "", action?.tcpSocket?.host ?? ""])
      .filter((host) => host !== "");
  const bad = containersOf(spec).filter((container) => hostsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const hosts = sorted(bad.flatMap(hostsOf));
  const names = sorted(namesOf(bad));
  const use = plural("uses", "use", names.length);
  const what = plural("probe or lifecycle host", "probe or lifecycle hosts", hosts.length);
  return {
    reason: "probe or lifecycle host",
    detail: `${counted("container", names)} ${use} ${what} ${quoted(hosts)}`,
  };
}

const privileged: Check = (pod) =>
  violationBy(
    pod,
    ({ securityContext }) => securityContext?.privileged,
    "privileged",
    () => "must not set securityContext.privileged=true",
  );

/**
 * Whether the pod has its own user namespace (`hostUsers: false`), for which some rules are
 * relaxed.
 */
export const hasOwnUsers = ({ spec }: CheckedPod, minor: number): boolean =>
  minor >= 35 && spec.hostUsers === false;

/** A `procMount` that is not allowed, whatever the users of the pod are. */
export function procMountViolation(pod: CheckedPod): Violation | undefined {
  const mountOf = ({ securityContext }: CheckedContainer): string =>
    securityContext?.procMount ?? "Default";
  return violationBy(
    pod,
    (container) => mountOf(container) !== "Default",
    "procMount",
    (bad) => `must not set securityContext.procMount to ${quoted(sorted(bad.map(mountOf)))}`,
  );
}

const SELINUX_TYPES = ["", "container_t", "container_init_t", "container_kvm_t"];

function seLinuxOptions({ spec }: CheckedPod, minor: number): Violation | undefined {
  const types = minor >= 31 ? [...SELINUX_TYPES, "container_engine_t"] : SELINUX_TYPES;
  type Options = NonNullable<NonNullable<CheckedContainer["securityContext"]>["seLinuxOptions"]>;
  const isBad = (options: Options | undefined): options is Options =>
    options !== undefined &&
    (!types.includes(options.type ?? "") || Boolean(options.user) || Boolean(options.role));
  const own = spec.securityContext?.seLinuxOptions;
  const containers = containersOf(spec).filter(({ securityContext }) =>
    isBad(securityContext?.seLinuxOptions),
  );
  const bad = [own, ...containers.map((one) => one.securityContext?.seLinuxOptions)].filter(isBad);
  if (bad.length === 0) return undefined;
  const badTypes = sorted(bad.map(({ type = "" }) => type).filter((type) => !types.includes(type)));
  const what = [
    ...(badTypes.length > 0 ? [counted("type", badTypes)] : []),
    ...(bad.some(({ user }) => user) ? ["user may not be set"] : []),
    ...(bad.some(({ role }) => role) ? ["role may not be set"] : []),
  ].join("; ");
  return {
    reason: "seLinuxOptions",
    detail: `${setters(isBad(own), namesOf(containers))} set forbidden securityContext.seLinuxOptions: ${what}`,
  };
}

const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";

function seccompBaseline(pod: CheckedPod, minor: number): Violation | undefined {
  if (minor >= 19) return explicitSeccomp(pod);
  const annotations = pod.metadata?.annotations ?? {};
  const keys = [SECCOMP_POD, ...containersOf(pod.spec).map(({ name }) => SECCOMP_CONTAINER + name)];
  const bad = sorted(
    keys.flatMap((key) => {
      const value = annotations[key];
      return value === undefined || isKnownSeccomp(value)
        ? []
        : [`${key}=${JSON.stringify(value)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  const noun = plural("annotation", "annotations", bad.length);
  return { reason: "seccompProfile", detail: `forbidden ${noun} ${bad.join(", ")}` };
}

const isKnownSeccomp = (value: string): boolean =>
  value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");

/** A seccomp profile that is set but not allowed. */
export function explicitSeccomp({ spec }: CheckedPod): Violation | undefined {
  const isBad = (profile: { readonly type?: string } | undefined): boolean =>
    profile !== undefined && !PROFILES.includes(profile.type ?? "");
  const own = spec.securityContext?.seccompProfile;
  const bad = containersOf(spec).filter(({ securityContext }) =>
    isBad(securityContext?.seccompProfile),
  );
  if (!isBad(own) && bad.length === 0) return undefined;
  const values = sorted([
    ...(isBad(own) ? [own?.type ?? ""] : []),
    ...bad.map(({ securityContext }) => securityContext?.seccompProfile?.type ?? ""),
  ]);
  return {
    reason: "seccompProfile",
    detail: `${setters(isBad(own), namesOf(bad))} must not set securityContext.seccompProfile.type to ${quoted(values)}`,
  };
}

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

function sysctls({ spec }: CheckedPod, minor: number): Violation | undefined {
  const bad = (spec.securityContext?.sysctls ?? [])
    .map(({ name }) => name)
    .filter((name) => minor < (SYSCTLS.get(name) ?? Infinity) || !SYSCTLS.has(name));
  return bad.length === 0 ? undefined : { reason: "forbidden sysctls", detail: bad.join(", ") };
}

function windowsHostProcess({ spec }: CheckedPod): Violation | undefined {
  const isOwn = spec.securityContext?.windowsOptions?.hostProcess === true;
  const bad = containersOf(spec).filter(
    ({ securityContext }) => securityContext?.windowsOptions?.hostProcess,
  );
  if (!isOwn && bad.length === 0) return undefined;
  return {
    reason: "hostProcess",
    detail: `${setters(isOwn, namesOf(bad))} must not set securityContext.windowsOptions.hostProcess=true`,
  };
}

/**
 * The checks in the order in which messages list them; some have a stricter one at the level
 * `restricted`.
 */
export const BASELINE: readonly { readonly check: Check; readonly replacedFrom?: number }[] = [
  { check: appArmorProfile },
  { check: capabilities, replacedFrom: 22 },
  { check: hostNamespaces },
  { check: hostPathVolumes, replacedFrom: 0 },
  { check: hostPorts },
  { check: hostProbes },
  { check: privileged },
  {
    check: (pod, minor) => (hasOwnUsers(pod, minor) ? undefined : procMountViolation(pod)),
    replacedFrom: 35,
  },
  { check: seLinuxOptions },
  { check: seccompBaseline, replacedFrom: 19 },
  { check: sysctls },
  { check: windowsHostProcess },
];
