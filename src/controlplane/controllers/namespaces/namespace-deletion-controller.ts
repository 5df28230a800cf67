/**
 * Deletion of namespaces: their content is deleted first; until then their conditions list what
 * remains.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
 */
import type { Clock } from "../../../clock.ts";
import type { SentObject } from "../../../kube/object.ts";
import { type ResourceInfo, groupResourceOf } from "../../../kube/resource.ts";
import type { Namespace } from "../../builtin/kinds/core/namespace.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import { unlessGone } from "../absence.ts";
import type { ControllerClient, StoreEvent } from "../client.ts";
import { concerns } from "../keys.ts";
import { NAMESPACES, PODS } from "../../builtin/tokens.ts";
import { isFinished } from "../pods/pods.ts";
import { timeOf } from "../../../kube/values/times.ts";
import type { Controller } from "../work-loop.ts";

/** The remaining objects of one resource. */
interface Remainder {
  readonly resource: ResourceInfo;
  readonly objects: readonly SentObject[];
}

/** Empties namespaces that are terminating. */
export class NamespaceDeletionController implements Controller {
  readonly name = "NamespaceDeletion";
  readonly #client: ControllerClient;
  readonly #clock: Clock;

  constructor(client: ControllerClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  *observe(event: StoreEvent): Iterable<string> {
    const { name = "", namespace } = event.object.metadata;
    if (concerns(event, NAMESPACES)) {
      if (event.object.metadata.deletionTimestamp) yield name;
    } else if (namespace !== undefined && event.type === "DELETED" && this.#find(namespace)) {
      yield namespace;
    }
  }

  async sync(name: string): Promise<undefined> {
    const namespace = this.#find(name);
    if (!namespace?.spec?.finalizers?.includes("kubernetes")) return;
    const pods = this.#client
      .resources()
      .filter(({ group, plural }) => group === "" && plural === "pods");
    const others = this.#client
      .resources()
      .filter((resource) => resource.namespaced && !pods.includes(resource));
    await this.#removeAll(name, pods);
    const inGrace = this.#client
      .list(PODS, { namespace: name })
      .some((pod) => !pod.metadata.finalizers?.length && !isFinished(pod));
    // Pods in their grace period still need the objects that are mounted into them.
    if (inGrace) {
      await this.#writeConditions(namespace, []);
      return;
    }
    await this.#removeAll(name, others);
    const left = this.#remainders(name, [...pods, ...others]);
    if (left.length === 0) {
      const finalizers = namespace.spec.finalizers.filter((one) => one !== "kubernetes");
      const current = this.#find(name) ?? namespace;
      await this.#client.update(
        NAMESPACES,
        { ...current, spec: { ...current.spec, finalizers } },
        "finalize",
      );
      return;
    }
    await this.#writeConditions(namespace, left);
  }

  #find(name: string): Namespace | undefined {
    const found = this.#client.find(NAMESPACES, { name });
    return found?.metadata.deletionTimestamp ? found : undefined;
  }

  async #removeAll(namespace: string, resources: readonly ResourceInfo[]): Promise<void> {
    for (const { resource, objects } of this.#remainders(namespace, resources)) {
      for (const { metadata } of objects) {
        if (metadata.deletionTimestamp) continue;
        await unlessGone(
          this.#client.remove(
            resource,
            { namespace, name: metadata.name ?? "" },
            { propagationPolicy: "Background" },
          ),
        );
      }
    }
  }

  #remainders(namespace: string, resources: readonly ResourceInfo[]): Remainder[] {
    return resources
      .map((resource) => ({ resource, objects: this.#client.list(resource, { namespace }) }))
      .filter(({ objects }) => objects.length > 0);
  }

  async #writeConditions(namespace: Namespace, left: readonly Remainder[]): Promise<void> {
    const before = namespace.status?.conditions ?? [];
    const conditions = this.#conditions(before, left);
    if (conditions === before) return;
    await this.#client.update(
      NAMESPACES,
      { ...namespace, status: { ...namespace.status, conditions: [...conditions] } },
      "status",
    );
  }

  #conditions(before: readonly Condition[], left: readonly Remainder[]): readonly Condition[] {
    const contents = left.map(
      ({ resource, objects }) =>
        `${resource.group === "" ? `${resource.plural}.` : groupResourceOf(resource)} has ${objects.length} resource instances`,
    );
    const holders = new Map<string, number>();
    for (const { objects } of left) {
      for (const finalizer of objects.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
        holders.set(finalizer, (holders.get(finalizer) ?? 0) + 1);
      }
    }
    const finalizers = [...holders].map(
      ([finalizer, count]) => `${finalizer} in ${count} resource instances`,
    );
    const facts: Condition[] = [
      fact(
        "NamespaceDeletionDiscoveryFailure",
        "False",
        "ResourcesDiscovered",
        "All resources successfully discovered",
      ),
      fact(
        "NamespaceDeletionGroupVersionParsingFailure",
        "False",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
      ),
      fact(
        "NamespaceDeletionContentFailure",
        "False",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
      ),
      contents.length === 0
        ? fact(
            "NamespaceContentRemaining",
            "False",
            "ContentRemoved",
            "All content successfully removed",
          )
        : fact(
            "NamespaceContentRemaining",
            "True",
            "SomeResourcesRemain",
            `Some resources are remaining: ${contents.sort().join(", ")}`,
          ),
      finalizers.length === 0
        ? fact(
            "NamespaceFinalizersRemaining",
            "False",
            "ContentHasNoFinalizers",
            "All content-preserving finalizers finished",
          )
        : fact(
            "NamespaceFinalizersRemaining",
            "True",
            "SomeFinalizersRemain",
            `Some content in the namespace has finalizers remaining: ${finalizers.sort().join(", ")}`,
          ),
    ];
    const now = timeOf(this.#clock.now());
    const merged = facts.map((condition) => {
      const known = before.find(({ type }) => type === condition.type);
      if (
        known?.status === condition.status &&
        known.reason === condition.reason &&
        known.message === condition.message
      ) {
        return known;
      }
      const transition = known?.status === condition.status ? known.lastTransitionTime : undefined;
      return { ...condition, lastTransitionTime: transition ?? now };
    });
    return merged.every((condition) => before.includes(condition)) ? before : merged;
  }
}

const fact = (type: string, status: string, reason: string, message: string): Condition => ({
  type,
  status,
  reason,
  message,
});
