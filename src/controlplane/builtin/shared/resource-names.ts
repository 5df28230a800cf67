/** Validation of resource names and amounts in quotas, limits and containers. */
import { type FieldError, invalidValue } from "../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../kube/names.ts";
import { parseQuantity } from "../../../kube/values/quantity.ts";

const WHOLE = 1_000_000_000n;

const COUNTED = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];

const QUOTA: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  ...COUNTED,
]);

const INTEGER: ReadonlySet<string> = new Set(COUNTED);

export const isHugePages = (name: string): boolean => name.startsWith("hugepages-");

const isNative = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");

/** Whether requests of the resource may be smaller than limits. */
export const mayOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name);

/** Whether a quota may name the resource without a domain. */
export const isQuotaResource = (name: string): boolean =>
  QUOTA.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-");

const isInteger = (name: string): boolean =>
  INTEGER.has(name) ||
  (!isNative(name) &&
    !name.startsWith("requests.") &&
    qualifiedNameErrors(`requests.${name}`).length === 0);

/** Validates a resource name: a well-known one, or one with a domain. */
export function resourceNameErrors(field: string, name: string): FieldError[] {
  const errors = qualifiedNameErrors(name).map((detail) => invalidValue(field, name, detail));
  if (errors.length > 0 || name.includes("/") || name === "storage" || isQuotaResource(name)) {
    return errors;
  }
  return [invalidValue(field, name, "must be a standard resource type or fully qualified")];
}

/** Validates the name of a resource that a container may request. */
export function containerResourceNameErrors(field: string, name: string): FieldError[] {
  const errors = resourceNameErrors(field, name);
  if (!name.includes("/")) {
    const known = ["cpu", "memory", "ephemeral-storage"].includes(name) || isHugePages(name);
    return known
      ? errors
      : [...errors, invalidValue(field, name, "must be a standard resource for containers")];
  }
  const isExtended =
    !name.startsWith("requests.") && qualifiedNameErrors(`requests.${name}`).length === 0;
  if (isNative(name) || isExtended) return errors;
  return [...errors, invalidValue(field, name, "doesn't follow extended resource name standard")];
}

/** Validates an amount: it is not negative, and whole if the resource is counted. */
export function amountErrors(field: string, name: string, amount: string): FieldError[] {
  const { nanos } = parseQuantity(amount);
  const errors =
    nanos < 0n ? [invalidValue(field, amount, "must be greater than or equal to 0")] : [];
  return isInteger(name) && nanos % WHOLE !== 0n
    ? [...errors, invalidValue(field, amount, "must be an integer")]
    : errors;
}
