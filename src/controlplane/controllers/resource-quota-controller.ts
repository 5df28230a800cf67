/**
 * ResourceQuotas: what is used of each is counted anew whenever something that it limits changes.
 *
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/
 * @module
 */
import { sameJson } from "../../kube/json.ts";
import {
  type ResourceQuota,
  addUsage,
  isInScope,
  measures,
  usageOf,
} from "../builtin/strategies/quota-usage.ts";
import type { ResourceList } from "../builtin/strategies/shapes.ts";
import type { ControllerClient, ResourceName, StoreEvent } from "./client.ts";
import { QUOTAS, concerns, keyFrom, textOf } from "./keys.ts";
import type { Controller } from "./work-loop.ts";

/** Keeps the status of quotas. */
export class ResourceQuotaController implements Controller {
  readonly name = "ResourceQuota";
  readonly #client: ControllerClient;

  constructor(client: ControllerClient) {
    this.#client = client;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, QUOTAS)) yield textOf(event.object);
    const { namespace } = event.object.metadata;
    if (namespace === undefined) return;
    for (const quota of this.#client.list(QUOTAS, { namespace })) {
      if (limits(quota, event.resource)) yield textOf(quota);
    }
  }

  sync(key: string): Promise<undefined> {
    return this.#sync(key);
  }

  async #sync(key: string): Promise<undefined> {
    const quota = this.#client.find(QUOTAS, keyFrom(key)) as ResourceQuota | undefined;
    if (!quota) return;
    const hard = quota.spec?.hard ?? {};
    const { namespace = "" } = quota.metadata;
    let used: ResourceList = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
    for (const resource of this.#client.resources()) {
      if (!resource.namespaced || !limits(quota, resource)) continue;
      for (const object of this.#client.list(resource, { namespace })) {
        if (!isInScope(quota, resource.plural, object)) continue;
        used = addUsage(used, usageOf(resource.group, resource.plural, object));
      }
    }
    const status = { hard, used };
    if (sameJson(quota.status ?? {}, status)) return;
    await this.#client.update(QUOTAS, { ...quota, status } as ResourceQuota, "status");
  }
}

/** Whether the quota says anything of a resource. */
function limits(quota: ResourceQuota, { group, plural }: ResourceName): boolean {
  return Object.keys(quota.spec?.hard ?? {}).some((name) => measures(name, group, plural));
}
