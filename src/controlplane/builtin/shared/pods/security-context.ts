/**
 * Validation of security contexts of pods and containers, and of the fields that a pod's operating
 * system allows.
 */
import type { Check } from "../../../../kube/check.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { internalForm } from "../../go/internal.ts";
import { checkLocalPath } from "../checks.ts";
import {
  type ContainerContext,
  type PodContext,
  type PodSpec,
  type SecurityProfile,
  eachContainer,
} from "./pod-shapes.ts";

const MAX_ID = 2_147_483_647;
const PROFILE_TYPES = ["Localhost", "RuntimeDefault", "Unconfined"];
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;

const MAX_CREDENTIAL_KIB = 64;
const MAX_DOMAIN = 256;
const MAX_USER = 104;
const NETBIOS_NAME = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;

const DNS_NAME =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

const SYSCTL_DETAIL =
  "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

function checkId(id: Check<number | undefined>): void {
  const { value = 0 } = id;
  if (value < 0 || value > MAX_ID) id.invalid(`must be between 0 and ${MAX_ID}, inclusive`);
}

/** Validates the security context of a pod, an empty one when it has none. */
export function checkPodContext(spec: Check<PodSpec>): void {
  const context: Check<PodContext> = spec.child(
    "securityContext",
    spec.value.securityContext ?? {},
  );
  checkId(context.at("fsGroup"));
  checkId(context.at("runAsUser"));
  checkId(context.at("runAsGroup"));
  context.at("supplementalGroups").each(checkId);
  const names = new Set<string>();
  context.at("sysctls").each((sysctl) => checkSysctl(sysctl.at("name"), names, spec.value));
  context.at("fsGroupChangePolicy").ifSet((policy) => policy.oneOf(["Always", "OnRootMismatch"]));
  context.at("seccompProfile").ifSet(checkSeccompProfile);
  context.at("windowsOptions").ifSet(checkWindowsOptions);
  context.at("appArmorProfile").ifSet(checkAppArmorProfile);
  context.at("supplementalGroupsPolicy").ifSet((policy) => policy.oneOf(["Merge", "Strict"]));
  context.at("seLinuxChangePolicy").ifSet((policy) => policy.oneOf(["MountOption", "Recursive"]));
}

/** Validates that containers share their processes with each other or with the host, not both. */
export function checkProcesses(spec: Check<PodSpec>): void {
  if (spec.value.shareProcessNamespace !== true || spec.value.hostPID !== true) return;
  const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
  spec.at("shareProcessNamespace").invalid(detail);
}

function checkSysctl(name: Check<string>, names: Set<string>, spec: PodSpec): void {
  if (name.given()) {
    if (name.value.length > 253 || !SYSCTL.test(name.value)) name.invalid(SYSCTL_DETAIL);
    else if (names.has(name.value)) name.duplicate();
  }
  names.add(name.value);
  const dotted = name.value.replaceAll("/", ".");
  if (spec.hostNetwork === true && dotted.startsWith("net.")) {
    name.invalid("may not be specified when 'hostNetwork' is true");
  } else if (spec.hostIPC === true && /^(kernel\.(shm|msg|sem)|fs\.mqueue\.)/.test(dotted)) {
    name.invalid("may not be specified when 'hostIPC' is true");
  }
}

/** Validates the security context of a container. */
export function checkContainerContext(context: Check<ContainerContext>, hostUsers: boolean): void {
  const { allowPrivilegeEscalation, privileged, capabilities } = context.value;
  checkId(context.at("runAsUser"));
  checkId(context.at("runAsGroup"));
  context.at("procMount").ifSet((procMount) => {
    procMount.oneOf(["Default", "Unmasked"]);
    if (hostUsers && procMount.value === "Unmasked") {
      procMount.invalid("`hostUsers` must be false to use `Unmasked`");
    }
  });
  context.at("seccompProfile").ifSet(checkSeccompProfile);
  if (allowPrivilegeEscalation === false) {
    const refuse = (other: string): void => {
      const detail = `cannot set \`allowPrivilegeEscalation\` to false and ${other}`;
      context.invalid(detail, internalForm("core.SecurityContext", context.value));
    };
    if (privileged === true) refuse("`privileged` to true");
    if (capabilities?.add?.includes("CAP_SYS_ADMIN")) refuse("`capabilities.Add` CAP_SYS_ADMIN");
  }
  context.at("windowsOptions").ifSet(checkWindowsOptions);
  context.at("appArmorProfile").ifSet(checkAppArmorProfile);
}

function checkSeccompProfile(profile: Check<SecurityProfile>): void {
  const type = profile.at("type");
  const path = profile.at("localhostProfile");
  if (type.given("type is required when seccompProfile is set")) type.oneOf(PROFILE_TYPES);
  if (type.value === "Localhost") {
    if (path.value === undefined) path.required("must be set when seccomp type is Localhost");
    else checkLocalPath(path.as(path.value));
  } else if (path.value !== undefined) {
    const shown = internalForm("core.SeccompProfile", profile.value);
    path.invalid("can only be set when seccomp type is Localhost", shown);
  }
}

function checkAppArmorProfile(profile: Check<SecurityProfile>): void {
  const type = profile.at("type");
  const path = profile.at("localhostProfile");
  if (!type.given("type is required when appArmorProfile is set")) return;
  if (type.value === "Localhost") {
    if (
      path.given("must be set when AppArmor type is Localhost") &&
      path.value !== path.value?.trim()
    ) {
      path.invalid("must not be padded with whitespace");
    }
  } else if (type.passes((it) => it.oneOf(PROFILE_TYPES)) && path.value !== undefined) {
    path.invalid("can only be set when AppArmor type is Localhost");
  }
}

/** Validates the Windows options of a pod or a container. */
function checkWindowsOptions(options: Check<NonNullable<PodContext["windowsOptions"]>>): void {
  options.at("gmsaCredentialSpecName").ifSet((name) => name.named(dns1123SubdomainErrors));
  options.at("gmsaCredentialSpec").ifSet((spec) => {
    if (spec.value === "") spec.invalid("gmsaCredentialSpec cannot be an empty string");
    else if (Buffer.byteLength(spec.value) > MAX_CREDENTIAL_KIB * 1024) {
      spec.invalid(`gmsaCredentialSpec size must be under ${MAX_CREDENTIAL_KIB} KiB`);
    }
  });
  options.at("runAsUserName").ifSet(checkUserName);
}

function checkUserName(name: Check<string>): void {
  const parts = name.value.split("\\");
  const user = parts.at(-1) ?? "";
  const bytes = Buffer.byteLength(user);
  const refuse = (detail: string): void => name.invalid(`runAsUserName${detail}`);
  if (name.value === "") {
    refuse(" cannot be an empty string");
    return;
  }
  // oxlint-disable-next-line no-control-regex -- it matches control characters
  if (/[\u0000-\u001f\u007f]/.test(name.value)) {
    refuse(" cannot contain control characters");
    return;
  }
  if (parts.length > 2) {
    refuse(" cannot contain more than one backslash");
    return;
  }
  const domain = parts.length === 2 ? parts[0] : undefined;
  if (Buffer.byteLength(domain ?? "") >= MAX_DOMAIN) {
    refuse(`'s Domain length must be under ${MAX_DOMAIN} characters`);
  }
  if (domain !== undefined && !NETBIOS_NAME.test(domain) && !DNS_NAME.test(domain)) {
    refuse("'s Domain doesn't match the NetBios nor the DNS format");
  }
  if (bytes === 0) refuse("'s User cannot be empty");
  if (bytes > MAX_USER) refuse(`'s User length must not be longer than ${MAX_USER} characters`);
  if (/^[. ]+$/.test(user)) refuse("'s User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    refuse("'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
}

/** Validates that a pod with a user namespace does not share the host's other namespaces. */
export function checkHostUsers(spec: Check<PodSpec>): void {
  const { hostUsers, hostNetwork, hostPID, hostIPC } = spec.value;
  if (hostUsers !== false) return;
  for (const [part, given] of Object.entries({ hostNetwork, HostPID: hostPID, HostIPC: hostIPC })) {
    if (given === true) spec.child(part, given).forbidden("when `hostUsers` is false");
  }
}

const WINDOWS = "cannot be set for a windows pod";

/** Validates that none of the fields is set, since the pod runs on Windows. */
function refuseOnWindows<T>(
  owner: Check<T>,
  fields: readonly (keyof NonNullable<T> & string)[],
): void {
  for (const field of fields) owner.at(field).ifSet((value) => value.forbidden(WINDOWS));
}

/** Validates that a pod has no fields that its operating system rules out. */
export function checkOperatingSystem(spec: Check<PodSpec>): void {
  const name = spec.at("os", "name");
  if (name.value === undefined || !name.given()) return;
  const context = spec.at("securityContext");
  if (name.value === "linux") {
    refuseWindowsOptions(context);
    eachContainer(spec, (container) => refuseWindowsOptions(container.at("securityContext")));
    return;
  }
  if (name.value !== "windows") {
    spec.child("os", name.value).notSupported(["linux", "windows"]);
    return;
  }
  refuseOnWindows(context, [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
  ]);
  refuseOnWindows(spec, ["hostUsers"]);
  for (const part of ["hostPID", "hostIPC", "shareProcessNamespace"] as const) {
    if (spec.value[part] === true) spec.at(part).forbidden(WINDOWS);
  }
  eachContainer(spec, (container) =>
    refuseOnWindows(container.at("securityContext"), [
      "appArmorProfile",
      "seLinuxOptions",
      "seccompProfile",
      "capabilities",
      "readOnlyRootFilesystem",
      "privileged",
      "allowPrivilegeEscalation",
      "procMount",
      "runAsUser",
      "runAsGroup",
    ]),
  );
}

function refuseWindowsOptions(context: Check<PodContext | ContainerContext | undefined>): void {
  context.at("windowsOptions").ifSet((options) => {
    options.forbidden("windows options cannot be set for a linux pod");
  });
}
