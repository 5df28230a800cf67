/** Validation of pods and pod templates. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  required,
  tooLong,
} from "../../../../kube/field-errors.ts";
import { validateAnnotations, validateLabels } from "../../../../kube/metadata.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
} from "../../../../kube/names.ts";
import type { ObjectMeta } from "../../../../kube/object.ts";
import { addressErrors } from "../addresses/addresses.ts";
import { oneOf } from "../checks.ts";
import { checkVolumes } from "../volumes/volumes.ts";
import { containerResourcesErrors, podResourcesErrors } from "./container-resources.ts";
import { containersErrors } from "./containers.ts";
import { affinityErrors, spreadErrors, tolerationsErrors } from "./scheduling.ts";
import { hostUsersErrors, osErrors, podContextErrors, processErrors } from "./security-context.ts";
import type { PodSpec, PodTemplate } from "./shapes.ts";

const RESTART_POLICIES = ["Always", "OnFailure", "Never"];
const DNS_POLICIES = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const MAX_INT32 = 2_147_483_647;
const MAX_HOSTNAME = 64;
const MIRROR = "kubernetes.io/config.mirror";
const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

/** Validates the template of a workload, its metadata included. */
export function templateErrors(field: string, template: PodTemplate): FieldError[] {
  const { spec } = template;
  const errors = [
    ...templateMetadataErrors(field, template),
    ...podSpecErrors(`${field}.spec`, spec, undefined),
  ];
  return (spec.ephemeralContainers ?? []).length === 0
    ? errors
    : [
        ...errors,
        forbidden(
          `${field}.spec.ephemeralContainers`,
          "ephemeral containers not allowed in pod template",
        ),
      ];
}

/** Validates the labels and annotations of a template. */
export const templateMetadataErrors = (
  field: string,
  { metadata = {}, spec }: PodTemplate,
): FieldError[] => [
  ...validateLabels(metadata.labels, `${field}.labels`),
  ...validateAnnotations(metadata.annotations ?? {}, `${field}.annotations`),
  ...podAnnotationErrors(`${field}.annotations`, metadata, spec),
];

/** Validates the annotations that the API server interprets. */
export function podAnnotationErrors(
  field: string,
  { annotations = {} }: ObjectMeta,
  spec: PodSpec,
): FieldError[] {
  const errors: FieldError[] = [];
  const mirror = annotations[MIRROR];
  if (mirror !== undefined && !spec.nodeName) {
    const detail = "must set spec.nodeName if mirror pod annotation is set";
    errors.push(invalidValue(`${field}[${MIRROR}]`, mirror, detail));
  }
  const cost = annotations[DELETION_COST];
  if (cost !== undefined && !isInt32(cost)) {
    errors.push(invalidValue(`${field}[${DELETION_COST}]`, cost, "must be a 32bit integer"));
  }
  const names = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ].map(({ name }) => name);
  for (const key of Object.keys(annotations).filter((name) => name.startsWith(APP_ARMOR))) {
    const name = key.slice(APP_ARMOR.length);
    if (!names.includes(name)) {
      errors.push(invalidValue(`${field}[${key}]`, name, "container not found"));
    }
    const profile = annotations[key] ?? "";
    if (!/^(runtime\/default|unconfined|localhost\/.*|)$/.test(profile)) {
      const detail = `invalid AppArmor profile name: ${JSON.stringify(profile)}`;
      errors.push(invalidValue(`${field}[${key}]`, profile, detail));
    }
  }
  return errors;
}

const isInt32 = (text: string): boolean =>
  /^(0|-?[1-9]\d*)$/.test(text) && Math.abs(Number(text)) <= MAX_INT32;

/** Validates the spec of a pod or a template; `podName` is undefined for a template. */
export function podSpecErrors(
  field: string,
  spec: PodSpec,
  podName: string | undefined,
): FieldError[] {
  const { restartPolicy = "", dnsPolicy = "" } = spec;
  const volumes = checkVolumes(`${field}.volumes`, spec.volumes, podName);
  return [
    ...volumes.errors,
    ...claimsErrors(`${field}.resourceClaims`, spec.resourceClaims),
    ...containersErrors(field, spec, volumes.usable),
    ...podResourcesErrors(field, spec),
    ...hostNetworkErrors(`${field}.containers`, spec, podName !== undefined),
    ...oneOf(`${field}.restartPolicy`, restartPolicy, RESTART_POLICIES),
    ...oneOf(`${field}.dnsPolicy`, dnsPolicy, DNS_POLICIES),
    ...validateLabels(spec.nodeSelector, `${field}.nodeSelector`),
    ...podContextErrors(`${field}.securityContext`, spec),
    ...processErrors(field, spec),
    ...affinityErrors(`${field}.affinity`, spec.affinity),
    ...dnsErrors(`${field}.dnsConfig`, spec),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType }, index) =>
      nameErrorsAt(
        `${field}.readinessGates[${index}].conditionType`,
        conditionType,
        qualifiedNameErrors,
      ),
    ),
    ...gatesErrors(`${field}.schedulingGates`, spec.schedulingGates),
    ...spreadErrors(`${field}.topologySpreadConstraints`, spec.topologySpreadConstraints),
    ...hostUsersErrors(field, spec),
    ...namesErrors(field, spec),
    ...tolerationsErrors(`${field}.tolerations`, spec.tolerations),
    ...(spec.hostAliases ?? []).flatMap(({ ip = "", hostnames = [] }, index) => [
      ...nameErrorsAt(`${field}.hostAliases[${index}].ip`, ip, addressErrors),
      ...hostnames.flatMap((name, position) =>
        nameErrorsAt(
          `${field}.hostAliases[${index}].hostnames[${position}]`,
          name,
          dns1123SubdomainErrors,
        ),
      ),
    ]),
    ...classErrors(field, spec),
    ...osErrors(field, spec),
  ];
}

function claimsErrors(field: string, claims: PodSpec["resourceClaims"] = []): FieldError[] {
  const names = new Set<string>();
  return claims.flatMap(({ name, resourceClaimName, resourceClaimTemplateName }, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${at}.name`));
    else if (names.has(name)) {
      errors.push({
        reason: "FieldValueDuplicate",
        field: `${at}.name`,
        message: `Duplicate value: "${name}"`,
      });
    } else errors.push(...nameErrorsAt(`${at}.name`, name, dns1123LabelErrors));
    names.add(name);
    const shown = {
      Name: name,
      ResourceClaimName: resourceClaimName ?? null,
      ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
    };
    const both = resourceClaimName !== undefined && resourceClaimTemplateName !== undefined;
    if (both) {
      const detail =
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      errors.push(invalidValue(at, shown, detail));
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      const detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
      errors.push(invalidValue(at, shown, detail));
    }
    for (const [part, value] of Object.entries({ resourceClaimName, resourceClaimTemplateName })) {
      if (value !== undefined) {
        errors.push(...nameErrorsAt(`${at}.${part}`, value, dns1123SubdomainErrors));
      }
    }
    return errors;
  });
}

/** Validates that the host ports of a pod on the host's network equal its container ports. */
function hostNetworkErrors(field: string, spec: PodSpec, isPod: boolean): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return (spec.containers ?? []).flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, containerPort = 0 }, position) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [
            invalidValue(
              `${field}[${index}].ports[${position}].hostPort`,
              hostPort,
              "must match `containerPort` when `hostNetwork` is true",
            ),
          ]
        : [],
    ),
  );
}

function dnsErrors(field: string, { dnsPolicy, dnsConfig }: PodSpec): FieldError[] {
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === "None") {
    if (!dnsConfig) {
      return [required(field, "must provide `dnsConfig` when `dnsPolicy` is None")];
    }
    if (nameservers.length === 0) {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return [required(`${field}.nameservers`, detail)];
    }
  }
  const errors: FieldError[] = [];
  if (nameservers.length > 3) {
    errors.push(
      invalidValue(`${field}.nameservers`, nameservers, "must not have more than 3 nameservers"),
    );
  }
  for (const [index, server] of nameservers.entries()) {
    errors.push(...nameErrorsAt(`${field}.nameservers[${index}]`, server, addressErrors));
  }
  if (searches.length > 32) {
    errors.push(
      invalidValue(`${field}.searches`, searches, "must not have more than 32 search paths"),
    );
  }
  if (searches.join(" ").length > 2048) {
    const detail = "must not have more than 2048 characters (including spaces) in the search list";
    errors.push(invalidValue(`${field}.searches`, searches, detail));
  }
  for (const [index, search] of searches.entries()) {
    const bare = search.replace(/\.$/, "");
    if (search === ".") continue;
    errors.push(...nameErrorsAt(`${field}.searches[${index}]`, bare, searchPathErrors));
  }
  for (const [index, { name = "" }] of options.entries()) {
    if (name === "") errors.push(required(`${field}.options[${index}]`, "must not be empty"));
  }
  return errors;
}

/** Validates a DNS name whose labels may begin with an underscore. */
function searchPathErrors(name: string): string[] {
  const errors: string[] = [];
  if (name.length > 253) errors.push("must be no more than 253 characters");
  const part = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
  if (!new RegExp(`^${part}(\\.${part})*$`).test(name)) {
    errors.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
    );
  }
  return errors;
}

function gatesErrors(field: string, gates: readonly { name: string }[] = []): FieldError[] {
  const names = new Set<string>();
  return gates.flatMap(({ name }, index) => {
    const at = `${field}[${index}]`;
    const errors = nameErrorsAt(at, name, qualifiedNameErrors);
    if (names.has(name)) {
      errors.push({
        reason: "FieldValueDuplicate",
        field: at,
        message: `Duplicate value: "${name}"`,
      });
    }
    names.add(name);
    return errors;
  });
}

/** Validates the names that a pod declares or refers to. */
function namesErrors(field: string, spec: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  const { hostnameOverride: override, activeDeadlineSeconds: deadline } = spec;
  if (override !== undefined) {
    const at = `${field}.hostnameOverride`;
    if (spec.setHostnameAsFQDN === true) {
      errors.push(forbidden(at, "may not be specified when setHostnameAsFQDN is true"));
    }
    if (spec.hostNetwork === true) {
      errors.push(forbidden(at, "may not be specified when hostNetwork is true"));
    }
    if (override.length > MAX_HOSTNAME) errors.push(tooLong(at, MAX_HOSTNAME));
    errors.push(...nameErrorsAt(at, override, dns1123SubdomainErrors));
  }
  for (const part of ["serviceAccountName", "nodeName"] as const) {
    const name = spec[part];
    if (name) errors.push(...nameErrorsAt(`${field}.${part}`, name, dns1123SubdomainErrors));
  }
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) {
    const detail = `must be between 1 and ${MAX_INT32}, inclusive`;
    errors.push(invalidValue(`${field}.activeDeadlineSeconds`, deadline, detail));
  }
  for (const part of ["hostname", "subdomain"] as const) {
    const name = spec[part];
    if (name) errors.push(...nameErrorsAt(`${field}.${part}`, name, dns1123LabelErrors));
  }
  return errors;
}

function classErrors(field: string, spec: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const part of ["priorityClassName", "runtimeClassName"] as const) {
    const name = spec[part];
    // An empty priority class counts as absent.
    if (name === undefined || (name === "" && part === "priorityClassName")) continue;
    errors.push(...nameErrorsAt(`${field}.${part}`, name, dns1123SubdomainErrors));
  }
  if (spec.preemptionPolicy !== undefined) {
    errors.push(...preemptionErrors(`${field}.preemptionPolicy`, spec.preemptionPolicy));
  }
  return spec.overhead
    ? [...errors, ...containerResourcesErrors(`${field}.overhead`, { limits: spec.overhead })]
    : errors;
}

/** Validates the preemption policy of a pod. */
export const preemptionErrors = (field: string, policy: string): FieldError[] =>
  policy === "" ? [required(field)] : oneOf(field, policy, ["PreemptLowerPriority", "Never"]);
