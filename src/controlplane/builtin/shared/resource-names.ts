/** Validation of resource names and amounts in quotas, limits and containers. */
import type { Check } from "../../../kube/check.ts";
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

export const isHugePages = (name: string): boolean => name.startsWith("hugepages-");

const isNative = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");

/** Whether requests of the resource may be smaller than limits. */
export const mayOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name);

/** Whether a quota may name the resource without a domain. */
export const isQuotaResource = (name: string): boolean =>
  QUOTA.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-");

const isExtended = (name: string): boolean =>
  !name.startsWith("requests.") && qualifiedNameErrors(`requests.${name}`).length === 0;

/** Validates a resource name: a well-known one, or one with a domain. */
export function checkResourceName(name: Check<string>): void {
  const { value } = name;
  if (!name.named(qualifiedNameErrors)) return;
  if (value.includes("/") || value === "storage" || isQuotaResource(value)) return;
  name.invalid("must be a standard resource type or fully qualified");
}

/** Validates the name of a resource that a container may request. */
export function checkContainerResourceName(name: Check<string>): void {
  const { value } = name;
  checkResourceName(name);
  if (!value.includes("/")) {
    if (["cpu", "memory", "ephemeral-storage"].includes(value) || isHugePages(value)) return;
    name.invalid("must be a standard resource for containers");
  } else if (!isNative(value) && !isExtended(value)) {
    name.invalid("doesn't follow extended resource name standard");
  }
}

/** Validates an amount: it is not negative, and whole if the resource is counted. */
export function checkAmount(amount: Check<string>, name: string): void {
  const { nanos } = parseQuantity(amount.value);
  const isCounted = COUNTED.includes(name) || (!isNative(name) && isExtended(name));
  if (nanos < 0n) amount.invalid("must be greater than or equal to 0");
  if (isCounted && nanos % WHOLE !== 0n) amount.invalid("must be an integer");
}
