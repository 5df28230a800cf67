/**
 * Validation of the resources of containers, pods and runtime classes: requests, limits and claims.
 */
import type { Check } from "../../../../kube/check.ts";
import { getField } from "../../../../kube/json.ts";
import { dns1123LabelErrors } from "../../../../kube/names.ts";
import { compareAmounts, parseQuantity } from "../../../../kube/values/quantity.ts";
import {
  checkAmount,
  checkContainerResourceName,
  checkResourceName,
  isHugePages,
  mayOvercommit,
} from "../resource-names.ts";
import type { ResourceRequirements } from "../shapes.ts";
import { aggregateRequests } from "./resources.ts";
import type { PodSpec, ResizePolicy } from "./pod-shapes.ts";

/**
 * Validates resources: known names, requests within limits, and whole numbers of indivisible ones.
 */
export function checkResources(
  resources: Check<ResourceRequirements>,
  claimNames: readonly string[] = [],
  checkName = checkContainerResourceName,
): void {
  const { requests = {}, limits = {} } = resources.value;
  for (const part of ["limits", "requests"] as const) {
    resources.at(part).eachEntry((amount, name) => {
      checkName(amount.as(name));
      checkAmount(amount, name);
      if (part === "requests") checkPair(resources, name, amount.value);
      checkPages(amount, name);
    });
  }
  const names = [...Object.keys(requests), ...Object.keys(limits)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    resources.forbidden("HugePages require cpu or memory");
  }
  checkClaims(resources.at("claims"), claimNames);
}

/** Validates a request against its limit. */
function checkPair(resources: Check<ResourceRequirements>, name: string, amount: string): void {
  const limit = getField(resources.value.limits ?? {}, name);
  const flexible = mayOvercommit(name);
  if (limit === undefined) {
    if (flexible) return;
    resources.at("limits").required("Limit must be set for non overcommitable resources");
    return;
  }
  const order = compareAmounts(amount, limit);
  if (order === 0 || (flexible && order < 0)) return;
  const relation = flexible ? "less than or equal to" : "equal to";
  resources.at("requests").invalid(`must be ${relation} ${name} limit of ${limit}`, amount);
}

/** Validates that huge pages are requested in multiples of their size. */
function checkPages(amount: Check<string>, name: string): void {
  if (!isHugePages(name)) return;
  const size = pageSize(name);
  if (size <= 0n || parseQuantity(amount.value).nanos % size !== 0n) {
    amount.invalid(`${amount.value} is not positive integer multiple of ${name}`);
  }
}

/** The size of huge pages in billionths of a byte; 0 when their name has none. */
function pageSize(name: string): bigint {
  try {
    return parseQuantity(name.slice("hugepages-".length)).nanos;
  } catch {
    return 0n;
  }
}

function checkClaims(
  claims: Check<ResourceRequirements["claims"]>,
  known: readonly string[],
): void {
  const seen = new Set<string>();
  claims.each((claim) => {
    const { name, request = "" } = claim.value;
    const named = claim.as(name);
    if (!named.given()) return;
    claim.at("request").nameIfGiven(dns1123LabelErrors);
    const key = request === "" ? name : `${name}/${request}`;
    const isTaken =
      seen.has(name) ||
      seen.has(key) ||
      (request === "" && [...seen].some((other) => other.startsWith(`${name}/`)));
    if (isTaken) claim.duplicate(seen.has(name) ? name : key);
    seen.add(key);
    if (known.includes(name)) return;
    const where = known.length === 0 ? " which is empty" : `: ${known.toSorted().join(", ")}`;
    named.notFound(`must be one of the names in pod.spec.resourceClaims${where}`);
  });
}

function checkPodResourceName(name: Check<string>): void {
  if (!name.passes(checkResourceName) || isHugePages(name.value)) return;
  if (!["cpu", "memory"].includes(name.value)) name.notSupported(["cpu", "hugepages-", "memory"]);
}

/** Validates the resources of a pod as a whole against those of its containers. */
export function checkPodResources(spec: Check<PodSpec>): void {
  spec.at("resources").ifSet((resources) => {
    if (spec.value.os?.name === "windows") {
      resources.forbidden("may not be set for a windows pod");
      return;
    }
    const { requests = {}, limits = {}, claims } = resources.value;
    if (claims) {
      resources.at("claims").forbidden("claims may not be set for Resources at pod-level");
    }
    checkResources(resources, [], checkPodResourceName);
    for (const [name, sum] of Object.entries(aggregateRequests(spec.value))) {
      const amount = getField(requests, name);
      if (amount === undefined || compareAmounts(sum, amount) <= 0) continue;
      const detail = `must be greater than or equal to aggregate container requests of ${sum}`;
      resources.at("requests").entry(name).invalid(detail);
    }
    resources.child("containers", spec.value.containers).each((container) => {
      container.as(container.value.resources?.limits).eachEntry((amount, name) => {
        const limit = getField(limits, name);
        if (limit === undefined || compareAmounts(amount.value, limit) <= 0) return;
        const detail = `must be less than or equal to pod limits of ${limit}`;
        amount.child("limits", amount.value).invalid(detail);
      });
    });
  });
}

/** Validates the policies for containers whose resources change. */
export function checkResizePolicies(
  policies: Check<ResizePolicy[] | undefined>,
  restartPolicy: string | undefined,
): void {
  const seen = new Set<string>();
  policies.each((policy) => {
    const resource = policies.as(policy.value.resourceName);
    const restart = policies.as(policy.value.restartPolicy);
    policy.as(resource.value).uniqueIn(seen);
    if (resource.given()) resource.oneOf(["cpu", "memory"]);
    if (restart.given()) restart.oneOf(["NotRequired", "RestartContainer"]);
    if (restartPolicy === "Never" && restart.value !== "NotRequired") {
      restart.invalid("must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  });
}
