/**
 * ResourceQuotas: usage is counted when a quota is created, and again when an object that it limits
 * is deleted or comes to use less. Admission counts objects that are added meanwhile; it also
 * counts objects that could not be stored then, such as one whose name was taken, until the next
 * count.
 *
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
import { sameJson } from "../../kube/json.ts";
import type { Pod } from "../builtin/kinds/core/pod/shape.ts";
import {
  addUsage,
  hasDeadline,
  isInScope,
  measures,
  usageOf,
} from "../builtin/strategies/quota-usage.ts";
import type { Service } from "../builtin/kinds/core/service/shape.ts";
import type { ResourceList, ResourceQuota } from "../builtin/shared/shapes.ts";
import type { StoreEvent } from "./framework/client.ts";
import { type ResourceName, asKind, isSameResource } from "../resource-name.ts";
import { textOf } from "./framework/keys.ts";
import { CLAIMS, PODS, QUOTAS, SERVICES } from "../builtin/tokens.ts";
import { isFinished } from "./pods/pods.ts";
import { ObjectController, watch, watchAll } from "./framework/controller.ts";

/** How often all quotas are counted again, in milliseconds. */
const RECOUNT_MS = 5 * 60 * 1000;

export class ResourceQuotaController extends ObjectController<ResourceQuota> {
  readonly name = "ResourceQuota";
  readonly resource = QUOTAS;
  readonly watches = [
    watch(QUOTAS, (event) => (asksForCount(event) ? [textOf(event.object)] : [])),
    watchAll((event) => this.#quotasConcernedBy(event)),
  ];

  *#quotasConcernedBy(event: StoreEvent): Iterable<string> {
    const { namespace } = event.object.metadata;
    if (namespace === undefined || !frees(event)) return;
    for (const quota of this.client.list(QUOTAS, { namespace })) {
      if (limits(quota, event.resource)) yield textOf(quota);
    }
  }

  protected async reconcile(quota: ResourceQuota): Promise<number> {
    const hard = quota.spec?.hard ?? {};
    const { namespace = "" } = quota.metadata;
    let used: ResourceList = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
    for (const resource of this.client.resources()) {
      if (!resource.namespaced || !limits(quota, resource)) continue;
      for (const object of this.client.list(resource, { namespace })) {
        if (isInScope(quota, resource, object)) used = addUsage(used, usageOf(resource, object));
      }
    }
    await this.client.updateStatus(QUOTAS, quota, { hard, used });
    return RECOUNT_MS;
  }
}

/** Whether a quota is new, or its limits changed. */
function asksForCount({ type, object, old }: StoreEvent<ResourceQuota>): boolean {
  if (type !== "MODIFIED" || !old) return type === "ADDED";
  return !sameJson(object.spec?.hard ?? {}, old.spec?.hard ?? {});
}

/** Whether an object uses less from now on, or counts for other quotas. */
function frees({ type, resource, object, old }: StoreEvent): boolean {
  if (type !== "MODIFIED" || !old) return type === "DELETED";
  if (isSameResource(resource, CLAIMS)) return true;
  const service = asKind(SERVICES, resource, object);
  const oldService = asKind(SERVICES, resource, old);
  if (service && oldService) return typeOf(service) !== typeOf(oldService);
  const now = asKind(PODS, resource, object);
  const before = asKind(PODS, resource, old);
  if (!now || !before) return false;
  return (
    (isFinished(now) && !isFinished(before)) ||
    hasDeadline(now) !== hasDeadline(before) ||
    !sameJson(resourcesOf(now), resourcesOf(before))
  );
}

const resourcesOf = ({ spec: { containers, initContainers = [] } }: Pod): unknown =>
  [...(containers ?? []), ...initContainers].map(({ resources = {} }) => resources);

/** The type of a Service, as far as quotas distinguish it. */
const typeOf = ({ spec: { type = "" } }: Service): string =>
  type === "NodePort" || type === "LoadBalancer" ? type : "";

/** Whether the quota limits a resource. */
const limits = (quota: ResourceQuota, { group, plural }: ResourceName): boolean =>
  Object.keys(quota.spec?.hard ?? {}).some((name) => measures(name, group, plural));
