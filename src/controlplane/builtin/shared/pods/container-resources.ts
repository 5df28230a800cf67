/**
 * Validation of the resources of containers, pods and runtime classes: requests, limits and claims.
 */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  nameErrorsAt,
  notFoundValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors } from "../../../../kube/names.ts";
import { compareQuantities, parseQuantity } from "../../../../kube/values/quantity.ts";
import { oneOf } from "../checks.ts";
import {
  amountErrors,
  containerResourceNameErrors,
  isHugePages,
  mayOvercommit,
  resourceNameErrors,
} from "../resource-names.ts";
import type { ResourceList, ResourceRequirements } from "../shapes.ts";
import { aggregateRequests } from "./resources.ts";
import type { Container, PodSpec } from "./shapes.ts";

type NameCheck = (field: string, name: string) => FieldError[];

/**
 * Validates resources: known names, requests within limits, and whole numbers of indivisible ones.
 */
export function containerResourcesErrors(
  field: string,
  resources: ResourceRequirements,
  claimNames: readonly string[] = [],
): FieldError[] {
  return requirementErrors(field, resources, containerResourceNameErrors, claimNames);
}

function requirementErrors(
  field: string,
  { requests = {}, limits = {}, claims = [] }: ResourceRequirements,
  checkName: NameCheck,
  claimNames: readonly string[],
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, amount] of Object.entries(limits)) {
    const at = `${field}.limits[${name}]`;
    errors.push(...checkName(at, name), ...amountErrors(at, name, amount));
    errors.push(...pageErrors(at, name, amount));
  }
  for (const [name, amount] of Object.entries(requests)) {
    const at = `${field}.requests[${name}]`;
    errors.push(...checkName(at, name), ...amountErrors(at, name, amount));
    errors.push(...pairErrors(field, name, amount, limits[name]), ...pageErrors(at, name, amount));
  }
  const names = [...Object.keys(requests), ...Object.keys(limits)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    errors.push(forbidden(field, "HugePages require cpu or memory"));
  }
  return [...errors, ...claimErrors(`${field}.claims`, claims, claimNames)];
}

/** Validates a request against its limit. */
function pairErrors(
  field: string,
  name: string,
  amount: string,
  limit: string | undefined,
): FieldError[] {
  const flexible = mayOvercommit(name);
  if (limit === undefined) {
    return flexible
      ? []
      : [required(`${field}.limits`, "Limit must be set for non overcommitable resources")];
  }
  const order = compareQuantities(parseQuantity(amount), parseQuantity(limit));
  if (order === 0 || (flexible && order < 0)) return [];
  const relation = flexible ? "less than or equal to" : "equal to";
  return [
    invalidValue(`${field}.requests`, amount, `must be ${relation} ${name} limit of ${limit}`),
  ];
}

/** Validates that huge pages are requested in multiples of their size. */
function pageErrors(field: string, name: string, amount: string): FieldError[] {
  if (!isHugePages(name)) return [];
  const detail = `${amount} is not positive integer multiple of ${name}`;
  let size: bigint;
  try {
    size = parseQuantity(name.slice("hugepages-".length)).nanos;
  } catch {
    return [invalidValue(field, amount, detail)];
  }
  return size > 0n && parseQuantity(amount).nanos % size === 0n
    ? []
    : [invalidValue(field, amount, detail)];
}

function claimErrors(
  field: string,
  claims: readonly { name: string; request?: string }[],
  known: readonly string[],
): FieldError[] {
  const seen = new Set<string>();
  return claims.flatMap(({ name, request = "" }, index) => {
    const at = `${field}[${index}]`;
    if (name === "") return [required(at)];
    const errors = request === "" ? [] : nameErrorsAt(`${at}.request`, request, dns1123LabelErrors);
    const key = request === "" ? name : `${name}/${request}`;
    const isTaken =
      seen.has(name) ||
      seen.has(key) ||
      (request === "" && [...seen].some((other) => other.startsWith(`${name}/`)));
    if (isTaken) errors.push(duplicate(at, seen.has(name) ? name : key));
    seen.add(key);
    if (known.includes(name)) return errors;
    const error = notFoundValue(at, name);
    const where = known.length === 0 ? " which is empty" : `: ${known.toSorted().join(", ")}`;
    const message = `${error.message}: must be one of the names in pod.spec.resourceClaims${where}`;
    return [...errors, { ...error, message }];
  });
}

const POD_LEVEL = ["cpu", "hugepages-", "memory"];

function podResourceNameErrors(field: string, name: string): FieldError[] {
  const errors = resourceNameErrors(field, name);
  if (errors.length > 0 || name === "cpu" || name === "memory" || isHugePages(name)) return errors;
  return [notSupported(field, name, POD_LEVEL)];
}

/** Validates the resources of a pod as a whole against those of its containers. */
export function podResourcesErrors(field: string, spec: PodSpec): FieldError[] {
  const { resources, containers } = spec;
  if (!resources) return [];
  const at = `${field}.resources`;
  if (spec.os?.name === "windows") return [forbidden(at, "may not be set for a windows pod")];
  const errors: FieldError[] = [];
  if (resources.claims) {
    errors.push(forbidden(`${at}.claims`, "claims may not be set for Resources at pod-level"));
  }
  errors.push(...requirementErrors(at, resources, podResourceNameErrors, []));
  for (const [name, sum] of Object.entries(aggregateRequests(spec))) {
    const amount = resources.requests?.[name];
    if (amount === undefined || !isMore(sum, amount)) continue;
    const detail = `must be greater than or equal to aggregate container requests of ${sum}`;
    errors.push(invalidValue(`${at}.requests[${name}]`, amount, detail));
  }
  for (const [index, container] of (containers ?? []).entries()) {
    errors.push(...limitErrors(`${at}.containers[${index}]`, container, resources.limits ?? {}));
  }
  return errors;
}

const isMore = (left: string, right: string): boolean =>
  compareQuantities(parseQuantity(left), parseQuantity(right)) > 0;

const limitErrors = (at: string, container: Container, limits: ResourceList): FieldError[] =>
  Object.entries(container.resources?.limits ?? {}).flatMap(([name, amount]) => {
    const limit = limits[name];
    if (limit === undefined || !isMore(amount, limit)) return [];
    const detail = `must be less than or equal to pod limits of ${limit}`;
    return [invalidValue(`${at}[${name}].limits`, amount, detail)];
  });

/** Validates the policies for containers whose resources change. */
export function resizePolicyErrors(
  field: string,
  policies: Container["resizePolicy"] = [],
  restartPolicy: string | undefined,
): FieldError[] {
  const seen = new Set<string>();
  return policies.flatMap(({ resourceName, restartPolicy: policy }, index) => {
    const errors = seen.has(resourceName) ? [duplicate(`${field}[${index}]`, resourceName)] : [];
    seen.add(resourceName);
    errors.push(
      ...(resourceName === "" ? [required(field)] : oneOf(field, resourceName, ["cpu", "memory"])),
      ...(policy === ""
        ? [required(field)]
        : oneOf(field, policy, ["NotRequired", "RestartContainer"])),
    );
    if (restartPolicy === "Never" && policy !== "NotRequired") {
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      errors.push(invalidValue(field, policy, detail));
    }
    return errors;
  });
}
