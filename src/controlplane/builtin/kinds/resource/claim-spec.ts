/** Validation of the spec of a ResourceClaim, which a ResourceClaimTemplate contains too. */
import { NAMESPACES } from "../../tokens.ts";
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { WriteContext } from "../../../kinds.ts";
import {
  type DeviceConfiguration,
  type DeviceSelector,
  type DeviceToleration,
  configurationErrors,
  deviceTolerationErrors,
  eachErrors,
  labelNameErrors,
  qualifiedDeviceNameErrors,
  selectorsErrors,
  setErrors,
} from "./device-checks.ts";

const MAX_REQUESTS = 32;
const MAX_CONSTRAINTS = 32;

export const MAX_CONFIGS = 32;

const MAX_ALTERNATIVES = 8;
const ADMIN_LABEL = "resource.kubernetes.io/admin-access";

const NO_SUCH_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

interface ExactRequest {
  deviceClassName?: string;
  selectors?: DeviceSelector[];
  allocationMode?: string;
  count?: number;
  adminAccess?: boolean;
  tolerations?: DeviceToleration[];
}

interface SubRequest extends ExactRequest {
  name?: string;
}

interface DeviceRequest {
  name?: string;
  exactly?: ExactRequest;
  firstAvailable?: SubRequest[] | null;
}

interface DeviceClaim {
  requests?: DeviceRequest[] | null;
  constraints?:
    { requests?: string[] | null; matchAttribute?: string; distinctAttribute?: string }[] | null;
  config?: (DeviceConfiguration & { requests?: string[] | null })[] | null;
}

export interface ClaimSpec {
  devices?: DeviceClaim;
}

/** The requests of a claim by name, each with the names of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function namesIn({ requests }: DeviceClaim): RequestNames {
  return new Map(
    (requests ?? []).map(({ name = "", firstAvailable }) => [
      name,
      new Set((firstAvailable ?? []).map((one) => one.name ?? "")),
    ]),
  );
}

/** Validates a reference to a request, or to one of its alternatives. */
export function requestReferenceErrors(
  field: string,
  reference: string,
  names: RequestNames,
): FieldError[] {
  const [name = "", alternative, ...rest] = reference.split("/");
  if (rest.length > 0) return [invalidValue(field, reference, NO_SUCH_REQUEST)];
  const errors = reference.split("/").flatMap((part) => labelNameErrors(field, part));
  const alternatives = names.get(name);
  const isKnown = alternative === undefined ? alternatives : alternatives?.has(alternative);
  return isKnown ? errors : [...errors, invalidValue(field, reference, NO_SUCH_REQUEST)];
}

/** Validates a list of unique references to requests. */
export const requestReferencesErrors = (
  field: string,
  references: readonly string[] | null | undefined,
  names: RequestNames,
): FieldError[] =>
  setErrors(
    field,
    references,
    MAX_REQUESTS,
    (reference, at) => requestReferenceErrors(at, reference, names),
    (reference) => reference,
  );

export function claimSpecErrors(at: string, { devices = {} }: ClaimSpec): FieldError[] {
  const names = namesIn(devices);
  const field = `${at}.devices`;
  return [
    ...setErrors(
      `${field}.requests`,
      devices.requests,
      MAX_REQUESTS,
      requestErrors,
      ({ name = "" }) => name,
    ),
    ...eachErrors(`${field}.constraints`, devices.constraints, MAX_CONSTRAINTS, (one, where) => [
      ...requestReferencesErrors(`${where}.requests`, one.requests, names),
      ...constraintErrors(where, one),
    ]),
    ...eachErrors(`${field}.config`, devices.config, MAX_CONFIGS, (config, where) => [
      ...requestReferencesErrors(`${where}.requests`, config.requests, names),
      ...configurationErrors(where, config),
    ]),
  ];
}

function constraintErrors(
  at: string,
  { matchAttribute, distinctAttribute }: { matchAttribute?: string; distinctAttribute?: string },
): FieldError[] {
  if (matchAttribute !== undefined) {
    return qualifiedDeviceNameErrors(`${at}.matchAttribute`, matchAttribute);
  }
  if (distinctAttribute !== undefined) {
    return qualifiedDeviceNameErrors(`${at}.distinctAttribute`, distinctAttribute);
  }
  return [
    required(
      at,
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    ),
  ];
}

function requestErrors(request: DeviceRequest, at: string): FieldError[] {
  const { name, exactly } = request;
  const firstAvailable = request.firstAvailable ?? [];
  const errors = labelNameErrors(`${at}.name`, name);
  const rule = "exactly one of `exactly` or `firstAvailable` is required";
  if (firstAvailable.length === 0) {
    return exactly
      ? [...errors, ...exactErrors(exactly, `${at}.exactly`)]
      : [...errors, required(at, rule)];
  }
  if (exactly) {
    return [...errors, invalidValue(at, null, `${rule}, but multiple fields are set`)];
  }
  const alternatives = setErrors(
    `${at}.firstAvailable`,
    firstAvailable,
    MAX_ALTERNATIVES,
    (one, where) => [...labelNameErrors(`${where}.name`, one.name), ...exactErrors(one, where)],
    (one) => one.name ?? "",
  );
  return [...errors, ...alternatives];
}

function exactErrors(request: ExactRequest, at: string): FieldError[] {
  const { deviceClassName = "", allocationMode = "", count = 0 } = request;
  const errors =
    deviceClassName === ""
      ? [required(`${at}.deviceClassName`)]
      : nameErrorsAt(`${at}.deviceClassName`, deviceClassName, dns1123SubdomainErrors);
  errors.push(...selectorsErrors(`${at}.selectors`, request.selectors));
  const field = `${at}.count`;
  if (allocationMode === "All") {
    if (count !== 0) {
      const detail = "must not be specified when allocationMode is 'All'";
      errors.push(invalidValue(field, count, detail));
    }
  } else if (allocationMode === "ExactCount") {
    if (count <= 0) errors.push(invalidValue(field, count, "must be greater than zero"));
  } else {
    errors.push(notSupported(`${at}.allocationMode`, allocationMode, ["All", "ExactCount"]));
  }
  for (const [index, toleration] of (request.tolerations ?? []).entries()) {
    errors.push(...deviceTolerationErrors(toleration, `${at}.tolerations[${index}]`));
  }
  return errors;
}

/** Validates that admin access is requested only in namespaces with the label that allows it. */
export function adminErrors(
  { requests }: DeviceClaim,
  namespace: string,
  context: WriteContext,
): FieldError[] {
  const index = (requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
  if (index === -1) return [];
  const labels = context.find(NAMESPACES, { name: namespace })?.metadata.labels;
  const detail = `admin access to devices requires the \`${ADMIN_LABEL}: true\` label on the containing namespace`;
  return labels?.[ADMIN_LABEL] === "true"
    ? []
    : [forbidden(`spec.devices.requests[${index}].adminAccess`, detail)];
}
