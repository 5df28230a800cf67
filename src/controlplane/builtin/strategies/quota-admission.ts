/**
 * What the admission of a namespace's limits and quotas says of a write that is otherwise fine.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#resourcequota
 * @module
 */
import { QUOTAS } from "../tokens.ts";
import type { SentObject } from "../../../kube/object.ts";
import {
  compareQuantities,
  parseQuantity,
  subtractQuantities,
  formatQuantity,
} from "../../../kube/values/quantity.ts";
import { type StatusError, failure } from "../../../kube/status.ts";
import type { WriteContext } from "../../kinds.ts";
import { limitRangeRefusals } from "./limit-ranger.ts";
import type { Pod } from "../kinds/core/pod/shape.ts";
import {
  type ResourceQuota,
  addUsage,
  hasDeadline,
  isInScope,
  measures,
  usageOf,
} from "./quota-usage.ts";
import type { ResourceList } from "../shared/shapes.ts";

const COMPUTE = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

interface Resource {
  readonly group: string;
  readonly plural: string;
}

/**
 * Refuses what a LimitRange or a ResourceQuota of the namespace does not allow, and counts the rest as used.
 *
 * @throws StatusError 403
 */
export function admitToLimits(
  resource: Resource,
  object: SentObject,
  old: SentObject | undefined,
  context: WriteContext,
): void {
  const { group, plural } = resource;
  const { namespace = "" } = object.metadata;
  if (namespace === "") return;
  const { plugins } = context;
  const isLimited = group === "" && (plural === "pods" || plural === "persistentvolumeclaims");
  if (!old && isLimited && plugins.isOn("LimitRanger")) {
    const [first, ...more] = limitRangeRefusals(object, context);
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
    const before = old && isInScope(quota, plural, old) ? old : undefined;
    const next = charge(resource, object, quota, growth(resource, object, before));
    if (next) charged.push(next);
  }
  for (const quota of charged) context.putStatus("", "resourcequotas", quota);
}

/** Whether a change can change what an object uses. */
function isRecharged({ group, plural }: Resource, object: SentObject, old: SentObject): boolean {
  if (group === "resource.k8s.io") return plural === "resourceclaims";
  if (group !== "") return false;
  if (plural !== "pods") return plural === "services" || plural === "persistentvolumeclaims";
  return hasDeadline(object as Pod) !== hasDeadline(old as Pod);
}

const byName = (left: SentObject, right: SentObject): number =>
  (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1;

/** What a write adds: all of a new object, of a changed one what is more than before. */
function growth(
  { group, plural }: Resource,
  object: SentObject,
  old: SentObject | undefined,
): ResourceList {
  const now = usageOf(group, plural, object);
  if (!old) return now;
  const before = usageOf(group, plural, old);
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
 * Whether a quota limits something of such an object.
 *
 * @throws StatusError 403 when the object does not say what it limits, or nobody has counted yet
 */
function concerns(quota: ResourceQuota, resource: Resource, object: SentObject): boolean {
  const { group, plural } = resource;
  const { hard = {}, used = {} } = quota.status ?? {};
  const limited = Object.keys(hard).filter((name) => measures(name, group, plural));
  if (limited.length === 0 || !isInScope(quota, plural, object)) return false;
  const restricted = limited.toSorted();
  const name = quota.metadata.name ?? "";
  const missing = group === "" && plural === "pods" ? unspecified(object as Pod, restricted) : "";
  if (missing !== "") {
    throw refusal(resource, object, `failed quota: ${name}: must specify ${missing}`);
  }
  if (restricted.some((one) => used[one] === undefined)) {
    const message = `status unknown for quota: ${name}, resources: ${restricted.join(",")}`;
    throw refusal(resource, object, message);
  }
  return true;
}

/** The quota with the usage added; `undefined` when that is nothing. @throws StatusError 403 */
function charge(
  resource: Resource,
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
    .filter((one) => isMore(next[one] ?? "0", hard[one] ?? "0"))
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

const isMore = (left: string, right: string): boolean =>
  compareQuantities(parseQuantity(left), parseQuantity(right)) > 0;

/** What the containers leave open that the quota limits. */
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

function refusal({ group, plural }: Resource, object: SentObject, message: string): StatusError {
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
