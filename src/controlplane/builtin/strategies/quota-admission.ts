/**
 * What the admission of a namespace's limits and quotas says of a write that is otherwise fine.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#resourcequota
 * @module
 */
import type { KubeObject } from "../../../kube/object.ts";
import {
  compareQuantities,
  parseQuantity,
  subtractQuantities,
  formatQuantity,
} from "../../../kube/quantity.ts";
import { type StatusError, failure } from "../../../kube/status.ts";
import type { WriteContext } from "../../kinds.ts";
import { limitRangeRefusals } from "./limit-ranger.ts";
import type { Pod } from "./pod-shapes.ts";
import { type ResourceQuota, addUsage, isInScope, usageOf } from "./quota-usage.ts";
import type { ResourceList } from "./shapes.ts";

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
  object: KubeObject,
  old: KubeObject | undefined,
  context: WriteContext,
): void {
  const { group, plural } = resource;
  const { namespace = "" } = object.metadata;
  if (namespace === "") return;
  if (!old && group === "" && (plural === "pods" || plural === "persistentvolumeclaims")) {
    const [first, ...more] = limitRangeRefusals(object, context);
    if (first !== undefined) {
      throw refusal(resource, object, more.length > 0 ? `[${[first, ...more].join(", ")}]` : first);
    }
  }
  const quotas = context.list("", "resourcequotas", namespace) as readonly ResourceQuota[];
  if (quotas.length === 0) return;
  const usage = growth(resource, object, old);
  const charged: ResourceQuota[] = [];
  for (const quota of quotas.toSorted(byName)) {
    if (!isInScope(quota, plural, object)) continue;
    const next = charge(resource, object, quota, usage);
    if (next) charged.push(next);
  }
  for (const quota of charged) context.putStatus("", "resourcequotas", quota);
}

const byName = (left: KubeObject, right: KubeObject): number =>
  (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1;

/** What a write adds: all of a new object, of a changed one what is more than before. */
function growth(
  { group, plural }: Resource,
  object: KubeObject,
  old: KubeObject | undefined,
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

/** The quota with the usage added; `undefined` when it says nothing of the object. */
function charge(
  resource: Resource,
  object: KubeObject,
  quota: ResourceQuota,
  usage: ResourceList,
): ResourceQuota | undefined {
  const { hard = {}, used = {} } = quota.status ?? {};
  const restricted = Object.keys(hard)
    .filter((name) => usage[name] !== undefined || isAsked(resource, name))
    .toSorted();
  if (restricted.length === 0) return undefined;
  const name = quota.metadata.name ?? "";
  const missing = resource.plural === "pods" ? unspecified(object as Pod, restricted) : "";
  if (missing !== "") {
    throw refusal(resource, object, `failed quota: ${name}: must specify ${missing}`);
  }
  if (restricted.some((one) => used[one] === undefined)) {
    const message = `status unknown for quota: ${name}, resources: ${restricted.join(",")}`;
    throw refusal(resource, object, message);
  }
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

/** Whether a quota of this name concerns every pod, whatever it asks for. */
const isAsked = ({ group, plural }: Resource, name: string): boolean =>
  group === "" && plural === "pods" && COMPUTE.includes(name);

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

function refusal({ group, plural }: Resource, object: KubeObject, message: string): StatusError {
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
