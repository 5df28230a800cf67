/** Validation of the spec of a ResourceClaim, which a ResourceClaimTemplate contains too. */
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from "../../../../generated/k8s/resource-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";
import type { Loose } from "../../shared/shapes.ts";
import { NAMESPACES } from "../../tokens.ts";
import {
  checkConfiguration,
  checkDeviceToleration,
  checkLabelName,
  checkQualifiedDeviceName,
  checkSelectors,
  checkSet,
} from "./device-checks.ts";

const MAX_REQUESTS = 32;
const MAX_CONSTRAINTS = 32;

export const MAX_CONFIGS = 32;

const MAX_ALTERNATIVES = 8;
const ADMIN_LABEL = "resource.kubernetes.io/admin-access";

const NO_SUCH_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

export type ClaimSpec = Loose<ResourceClaimSpec>;

/** The requests of a claim by name, each with the names of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function namesIn(claim: Loose<DeviceClaim> | undefined): RequestNames {
  return new Map(
    (claim?.requests ?? []).map(({ name = "", firstAvailable }) => [
      name,
      new Set((firstAvailable ?? []).map((one) => one.name ?? "")),
    ]),
  );
}

/** Validates a reference to a request, or to one of its alternatives. */
export function checkRequestReference(
  reference: Check<string | undefined>,
  names: RequestNames,
): void {
  const parts = (reference.value ?? "").split("/");
  const [name = "", alternative] = parts;
  const alternatives = names.get(name);
  const isKnown = alternative === undefined ? alternatives : alternatives?.has(alternative);
  if (parts.length <= 2) for (const part of parts) checkLabelName(reference.as(part));
  if (parts.length > 2 || !isKnown) reference.invalid(NO_SUCH_REQUEST, reference.value ?? "");
}

/** Validates a list of unique references to requests. */
export function checkRequestReferences(
  references: Check<readonly string[] | undefined>,
  names: RequestNames,
): void {
  checkSet(references, MAX_REQUESTS, (reference) => {
    checkRequestReference(reference, names);
  });
}

export function checkClaimSpec(spec: Check<ClaimSpec | undefined>): void {
  const devices = spec.at("devices");
  const names = namesIn(devices.value);
  checkSet(devices.at("requests"), MAX_REQUESTS, checkRequest, ({ name = "" }) => name);
  devices.at("constraints").eachOf(MAX_CONSTRAINTS, (constraint) => {
    checkRequestReferences(constraint.at("requests"), names);
    checkConstraint(constraint);
  });
  devices.at("config").eachOf(MAX_CONFIGS, (config) => {
    checkRequestReferences(config.at("requests"), names);
    checkConfiguration(config);
  });
}

function checkConstraint(constraint: Check<Loose<DeviceConstraint>>): void {
  const { matchAttribute, distinctAttribute } = constraint.value;
  const given = matchAttribute === undefined ? "distinctAttribute" : "matchAttribute";
  if (matchAttribute === undefined && distinctAttribute === undefined) {
    constraint.required(
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    );
  }
  constraint.at(given).ifSet(checkQualifiedDeviceName);
}

function checkRequest(request: Check<Loose<DeviceRequest>>): void {
  const exactly = request.at("exactly");
  const alternatives = request.at("firstAvailable");
  const rule = "exactly one of `exactly` or `firstAvailable` is required";
  checkLabelName(request.at("name"));
  if (alternatives.count === 0) {
    if (exactly.value) checkExactRequest(exactly);
    else request.required(rule);
  } else if (exactly.value) {
    request.invalid(`${rule}, but multiple fields are set`, null);
  } else {
    checkSet(
      alternatives,
      MAX_ALTERNATIVES,
      (alternative) => {
        checkLabelName(alternative.at("name"));
        checkExactRequest(alternative);
      },
      ({ name = "" }) => name,
    );
  }
}

function checkExactRequest(request: Check<Loose<ExactDeviceRequest> | undefined>): void {
  const count = request.at("count");
  const mode = request.at("allocationMode");
  const { value: asked = 0 } = count;
  request.at("deviceClassName").givenName(dns1123SubdomainErrors);
  checkSelectors(request.at("selectors"));
  if (mode.value === "All") {
    if (asked !== 0) count.invalid("must not be specified when allocationMode is 'All'");
  } else if (mode.value === "ExactCount") {
    if (asked <= 0) count.invalid("must be greater than zero", asked);
  } else mode.oneOf(["All", "ExactCount"]);
  request.at("tolerations").each(checkDeviceToleration);
}

/** Validates that admin access is requested only in namespaces with the label that allows it. */
export function checkAdminAccess(
  object: Check<SentObject>,
  spec: ClaimSpec | undefined,
  context: WriteContext,
): void {
  const requests = spec?.devices?.requests ?? [];
  const first = requests.findIndex(({ exactly }) => exactly?.adminAccess === true);
  if (first === -1) return;
  const name = object.value.metadata.namespace ?? "";
  if (context.find(NAMESPACES, { name })?.metadata.labels?.[ADMIN_LABEL] === "true") return;
  const detail = `admin access to devices requires the \`${ADMIN_LABEL}: true\` label on the containing namespace`;
  object.child(`spec.devices.requests[${first}].adminAccess`, true).forbidden(detail);
}
