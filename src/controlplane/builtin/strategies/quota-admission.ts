/**
 * Admission by the LimitRanges and ResourceQuotas of a namespace, for writes that are otherwise
 * valid.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#resourcequota
 */
import { CLAIMS, PODS, QUOTAS, RESOURCE_CLAIMS, SERVICES } from "../tokens.ts";
import type { SentObject } from "../../../kube/object.ts";
import {
  compareAmounts,
  parseQuantity,
  subtractQuantities,
  formatQuantity,
} from "../../../kube/values/quantity.ts";
import { type StatusError, failure } from "../../../kube/status.ts";
import { type WriteContext } from "../../kinds.ts";
import { asKind, isSameResource, type ResourceName } from "../../resource-name.ts";
import { limitRangeRefusals } from "../kinds/core/limit-ranger.ts";
import type { Pod } from "../kinds/core/pod/shape.ts";
import { addUsage, hasDeadline, isInScope, measures, usageOf } from "./quota-usage.ts";
import type { ResourceList, ResourceQuota } from "../shared/shapes.ts";

const COMPUTE = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

/**
 * Refuses a write that a LimitRange or a ResourceQuota of the namespace does not allow, and adds
 * its usage to the quotas.
 *
 * @throws StatusError 403
 */
export function admitToLimits(
  resource: ResourceName,
  object: SentObject,
  old: SentObject | undefined,
  context: WriteContext,
): void {
  const { namespace = "" } = object.metadata;
  if (namespace === "") return;
  const { plugins } = context;
  if (!old && plugins.isOn("LimitRanger")) {
    const [first, ...more] = limitRangeRefusals(resource, object, context);
    if (first !== undefined) {
      throw refusal(resource, object, more.length > 0 ? `[${[first, ...more].join(", ")}]` : first);
    }
  }
  if (!plugins.isOn("ResourceQuota")) return;
  if (old && !isRecharged(resource, object, old)) return;
  const quotas = context.list(QUOTAS, namespace).toSorted(byName);
  const concerned = quotas.filter((quota) => concerns(quota, resource, object));
  const charged: ResourceQuota[] = [];
  for (const quota of concerned) {
    const before = old && isInScope(quota, resource, old) ? old : undefined;
    const next = charge(resource, object, quota, growth(resource, object, before));
    if (next) charged.push(next);
  }
  for (const quota of charged) context.putStatus("", "resourcequotas", quota);
}

/** Whether an update of the object can change its usage. */
function isRecharged(resource: ResourceName, object: SentObject, old: SentObject): boolean {
  if ([RESOURCE_CLAIMS, SERVICES, CLAIMS].some((one) => isSameResource(one, resource))) return true;
  const [pod, before] = [object, old].map((one) => asKind(PODS, resource, one));
  return pod !== undefined && before !== undefined && hasDeadline(pod) !== hasDeadline(before);
}

const byName = (left: SentObject, right: SentObject): number =>
  (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1;

/** The usage that a write adds: all of a new object's, and the increase of a changed one. */
function growth(
  resource: ResourceName,
  object: SentObject,
  old: SentObject | undefined,
): ResourceList {
  const now = usageOf(resource, object);
  if (!old) return now;
  const before = usageOf(resource, old);
  return Object.fromEntries(
    Object.entries(now).flatMap(([name, amount]) => {
      const difference = subtractQuantities(
        parseQuantity(amount),
        parseQuantity(before[name] ?? "0"),
      );
      return difference.nanos > 0n ? [[name, formatQuantity(difference)]] : [];
    }),
  );
}

/**
 * Whether a quota limits a resource that the object uses.
 *
 * @throws StatusError 403 when the object does not specify a limited resource, or the quota has
 *   no usage yet
 */
function concerns(quota: ResourceQuota, resource: ResourceName, object: SentObject): boolean {
  const { group, plural } = resource;
  const { hard = {}, used = {} } = quota.status ?? {};
  const limited = Object.keys(hard).filter((name) => measures(name, group, plural));
  if (limited.length === 0 || !isInScope(quota, resource, object)) return false;
  const restricted = limited.toSorted();
  const name = quota.metadata.name ?? "";
  const pod = asKind(PODS, resource, object);
  const missing = pod ? unspecified(pod, restricted) : "";
  if (missing !== "") {
    throw refusal(resource, object, `failed quota: ${name}: must specify ${missing}`);
  }
  if (restricted.some((one) => used[one] === undefined)) {
    const message = `status unknown for quota: ${name}, resources: ${restricted.join(",")}`;
    throw refusal(resource, object, message);
  }
  return true;
}

/** The quota with the usage added; `undefined` when none is. @throws StatusError 403 */
function charge(
  resource: ResourceName,
  object: SentObject,
  quota: ResourceQuota,
  usage: ResourceList,
): ResourceQuota | undefined {
  const { hard = {}, used = {} } = quota.status ?? {};
  const name = quota.metadata.name ?? "";
  const requested = Object.fromEntries(
    Object.entries(usage).filter(
      ([one, amount]) => hard[one] !== undefined && parseQuantity(amount).nanos !== 0n,
    ),
  );
  if (Object.keys(requested).length === 0) return undefined;
  const next = addUsage({ ...used }, requested);
  const exceeded = Object.keys(requested)
    .filter((one) => compareAmounts(next[one] ?? "0", hard[one] ?? "0") > 0)
    .toSorted();
  if (exceeded.length > 0) {
    const shown = (amounts: ResourceList): string =>
      exceeded.map((one) => `${one}=${amounts[one] ?? "0"}`).join(",");
    throw refusal(
      resource,
      object,
      `exceeded quota: ${name}, requested: ${shown(requested)}, used: ${shown(used)}, limited: ${shown(hard)}`,
    );
  }
  return { ...quota, status: { ...quota.status, used: next } };
}

/** The resources that the quota limits and containers leave out. */
function unspecified({ spec }: Pod, restricted: readonly string[]): string {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return restricted
    .filter((name) => COMPUTE.includes(name))
    .flatMap((name) => {
      const part = name.startsWith("limits.") ? "limits" : "requests";
      const resource = name.replace(/^(limits|requests)\./, "");
      const lacking = containers
        .filter(({ resources }) => resources?.[part]?.[resource] === undefined)
        .map((container) => container.name);
      return lacking.length > 0 ? [`${name} for: ${lacking.toSorted().join(",")}`] : [];
    })
    .join("; ");
}

function refusal(
  { group, plural }: ResourceName,
  object: SentObject,
  message: string,
): StatusError {
  const { name = "" } = object.metadata;
  const qualified = group === "" ? plural : `${plural}.${group}`;
  return failure(
    403,
    "Forbidden",
    `${qualified} ${JSON.stringify(name)} is forbidden: ${message}`,
    {
      ...(name === "" ? {} : { name }),
      ...(group === "" ? {} : { group }),
      kind: plural,
    },
  );
}
