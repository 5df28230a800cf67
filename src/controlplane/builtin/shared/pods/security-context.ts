/**
 * Validation of security contexts of pods and containers, and of the fields that a pod's operating
 * system allows.
 */
import { asJson } from "../../../../kube/json.ts";
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { internalForm } from "../../strategies/go-internal.ts";
import { localPathErrors, oneOf } from "../checks.ts";
import type { ContainerContext, PodContext, PodSpec, SecurityProfile } from "./shapes.ts";
import { windowsErrors } from "./windows-options.ts";

const MAX_ID = 2_147_483_647;
const PROFILE_TYPES = ["Localhost", "RuntimeDefault", "Unconfined"];
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;

const SYSCTL_DETAIL =
  "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

const idErrors = (field: string, id: number | undefined): FieldError[] =>
  id !== undefined && (id < 0 || id > MAX_ID)
    ? [invalidValue(field, id, `must be between 0 and ${MAX_ID}, inclusive`)]
    : [];

export function podContextErrors(field: string, spec: PodSpec): FieldError[] {
  const context = spec.securityContext ?? {};
  const errors = [
    ...idErrors(`${field}.fsGroup`, context.fsGroup),
    ...idErrors(`${field}.runAsUser`, context.runAsUser),
    ...idErrors(`${field}.runAsGroup`, context.runAsGroup),
    ...(context.supplementalGroups ?? []).flatMap((id, index) =>
      idErrors(`${field}.supplementalGroups[${index}]`, id),
    ),
  ];
  errors.push(...sysctlErrors(`${field}.sysctls`, context.sysctls ?? [], spec));
  const choice = (part: keyof PodContext, words: readonly string[]): FieldError[] => {
    const value = context[part];
    return typeof value === "string" ? oneOf(`${field}.${part}`, value, words) : [];
  };
  return [
    ...errors,
    ...choice("fsGroupChangePolicy", ["Always", "OnRootMismatch"]),
    ...profileErrors(`${field}.seccompProfile`, context.seccompProfile),
    ...windowsErrors(`${field}.windowsOptions`, context.windowsOptions),
    ...appArmorErrors(`${field}.appArmorProfile`, context.appArmorProfile),
    ...choice("supplementalGroupsPolicy", ["Merge", "Strict"]),
    // Other policies belong to a disabled feature.
    ...choice("seLinuxChangePolicy", ["Recursive"]),
  ];
}

/** Validates that containers share their processes with each other or with the host, not both. */
export function processErrors(field: string, spec: PodSpec): FieldError[] {
  if (spec.shareProcessNamespace !== true || spec.hostPID !== true) return [];
  const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
  return [invalidValue(`${field}.shareProcessNamespace`, true, detail)];
}

function sysctlErrors(
  field: string,
  sysctls: readonly { name: string }[],
  spec: PodSpec,
): FieldError[] {
  const names = new Set<string>();
  return sysctls.flatMap(({ name }, index) => {
    const at = `${field}[${index}].name`;
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(at));
    else if (name.length > 253 || !SYSCTL.test(name)) {
      errors.push(invalidValue(at, name, SYSCTL_DETAIL));
    } else if (names.has(name)) errors.push(duplicate(at, name));
    names.add(name);
    const dotted = name.replaceAll("/", ".");
    if (spec.hostNetwork === true && dotted.startsWith("net.")) {
      errors.push(invalidValue(at, name, "may not be specified when 'hostNetwork' is true"));
    } else if (spec.hostIPC === true && /^(kernel\.(shm|msg|sem)|fs\.mqueue\.)/.test(dotted)) {
      errors.push(invalidValue(at, name, "may not be specified when 'hostIPC' is true"));
    }
    return errors;
  });
}

/** The context in the API server's internal form. */
const shown = (context: ContainerContext): unknown => internalForm("core.SecurityContext", context);

export function containerContextErrors(
  field: string,
  context: ContainerContext | undefined,
  hostUsers: boolean,
): FieldError[] {
  if (!context) return [];
  const errors = [
    ...idErrors(`${field}.runAsUser`, context.runAsUser),
    ...idErrors(`${field}.runAsGroup`, context.runAsGroup),
  ];
  const { procMount } = context;
  if (procMount !== undefined) {
    errors.push(...oneOf(`${field}.procMount`, procMount, ["Default", "Unmasked"]));
    if (hostUsers && procMount === "Unmasked") {
      const detail = "`hostUsers` must be false to use `Unmasked`";
      errors.push(invalidValue(`${field}.procMount`, procMount, detail));
    }
  }
  errors.push(...profileErrors(`${field}.seccompProfile`, context.seccompProfile));
  if (context.allowPrivilegeEscalation === false) {
    const clash = "cannot set `allowPrivilegeEscalation` to false and";
    if (context.privileged === true) {
      errors.push(invalidValue(field, shown(context), `${clash} \`privileged\` to true`));
    }
    if (context.capabilities?.add?.includes("CAP_SYS_ADMIN")) {
      errors.push(
        invalidValue(field, shown(context), `${clash} \`capabilities.Add\` CAP_SYS_ADMIN`),
      );
    }
  }
  return [
    ...errors,
    ...windowsErrors(`${field}.windowsOptions`, context.windowsOptions),
    ...appArmorErrors(`${field}.appArmorProfile`, context.appArmorProfile),
  ];
}

function profileErrors(field: string, profile: SecurityProfile | undefined): FieldError[] {
  if (!profile) return [];
  const { type = "", localhostProfile } = profile;
  const at = `${field}.localhostProfile`;
  const errors =
    type === ""
      ? [required(`${field}.type`, "type is required when seccompProfile is set")]
      : oneOf(`${field}.type`, type, PROFILE_TYPES);
  if (type === "Localhost") {
    return localhostProfile === undefined
      ? [...errors, required(at, "must be set when seccomp type is Localhost")]
      : [...errors, ...localPathErrors(at, localhostProfile)];
  }
  if (localhostProfile === undefined) return errors;
  const detail = "can only be set when seccomp type is Localhost";
  return [...errors, invalidValue(at, internalForm("core.SeccompProfile", profile), detail)];
}

function appArmorErrors(field: string, profile: SecurityProfile | undefined): FieldError[] {
  if (!profile) return [];
  const { type = "", localhostProfile } = profile;
  const at = `${field}.localhostProfile`;
  if (type === "") {
    return [required(`${field}.type`, "type is required when appArmorProfile is set")];
  }
  if (type === "Localhost") {
    if (localhostProfile === undefined || localhostProfile === "") {
      return [required(at, "must be set when AppArmor type is Localhost")];
    }
    return localhostProfile === localhostProfile.trim()
      ? []
      : [invalidValue(at, localhostProfile, "must not be padded with whitespace")];
  }
  if (!PROFILE_TYPES.includes(type)) return [notSupported(`${field}.type`, type, PROFILE_TYPES)];
  return localhostProfile === undefined
    ? []
    : [invalidValue(at, localhostProfile, "can only be set when AppArmor type is Localhost")];
}

/** Validates that a pod with a user namespace does not share the host's other namespaces. */
export function hostUsersErrors(field: string, spec: PodSpec): FieldError[] {
  if (spec.hostUsers !== false) return [];
  return (
    [
      ["hostNetwork", spec.hostNetwork],
      ["HostPID", spec.hostPID],
      ["HostIPC", spec.hostIPC],
    ] as const
  ).flatMap(([part, given]) =>
    given === true ? [forbidden(`${field}.${part}`, "when `hostUsers` is false")] : [],
  );
}

const WINDOWS_POD = [
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
] as const;

const WINDOWS_CONTAINER = [
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
] as const;

/** Validates that a pod has no fields that its operating system rules out. */
export function osErrors(field: string, spec: PodSpec): FieldError[] {
  const name = spec.os?.name;
  if (name === undefined) return [];
  if (name === "") return [required(`${field}.os.name`)];
  if (name === "linux") return linuxErrors(field, spec);
  if (name !== "windows") return [notSupported(`${field}.os`, name, ["linux", "windows"])];
  const context = asJson(spec.securityContext ?? {});
  const at = `${field}.securityContext`;
  const banned = (
    where: string,
    owner: Readonly<Record<string, unknown>>,
    parts: readonly string[],
  ): FieldError[] =>
    parts.flatMap((part) =>
      owner[part] === undefined || owner[part] === false
        ? []
        : [forbidden(`${where}.${part}`, "cannot be set for a windows pod")],
    );
  return [
    ...banned(at, context, WINDOWS_POD),
    ...(spec.hostUsers === undefined
      ? []
      : [forbidden(`${field}.hostUsers`, "cannot be set for a windows pod")]),
    ...banned(field, asJson(spec), ["hostPID", "hostIPC", "shareProcessNamespace"]),
    ...containerContexts(field, spec).flatMap(([where, own]) =>
      WINDOWS_CONTAINER.flatMap((part) =>
        own[part] === undefined
          ? []
          : [forbidden(`${where}.${part}`, "cannot be set for a windows pod")],
      ),
    ),
  ];
}

function linuxErrors(field: string, spec: PodSpec): FieldError[] {
  const detail = "windows options cannot be set for a linux pod";
  const context = spec.securityContext ?? {};
  return [
    ...(context.windowsOptions
      ? [forbidden(`${field}.securityContext.windowsOptions`, detail)]
      : []),
    ...containerContexts(field, spec).flatMap(([where, own]) =>
      own.windowsOptions ? [forbidden(`${where}.windowsOptions`, detail)] : [],
    ),
  ];
}

const containerContexts = (field: string, spec: PodSpec): [string, ContainerContext][] =>
  (["initContainers", "containers", "ephemeralContainers"] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ securityContext }, index): [string, ContainerContext][] =>
      securityContext ? [[`${field}.${list}[${index}].securityContext`, securityContext]] : [],
    ),
  );
