/**
 * Deletion of namespaces: their content is deleted first; until then their conditions list what
 * remains.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
 */
import type { SentObject } from "../../../kube/object.ts";
import { type ResourceInfo, groupResourceOf } from "../../../kube/resource.ts";
import type { Namespace } from "../../builtin/kinds/core/namespace.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import { unlessGone } from "../absence.ts";
import type { StoreEvent } from "../client.ts";
import { NAMESPACES, PODS } from "../../builtin/tokens.ts";
import { isFinished } from "../pods/pods.ts";
import { timeOf } from "../../../kube/values/times.ts";
import { ObjectController, watch, watchAll } from "../controller.ts";

/** The remaining objects of one resource. */
interface Remainder {
  readonly resource: ResourceInfo;
  readonly objects: readonly SentObject[];
}

const fact = (type: string, status: string, reason: string, message: string): Condition => ({
  type,
  status,
  reason,
  message,
});

const NO_FAILURES = [
  ["DeletionDiscovery", "ResourcesDiscovered", "All resources successfully discovered"],
  [
    "DeletionGroupVersionParsing",
    "ParsedGroupVersions",
    "All legacy kube types successfully parsed",
  ],
  [
    "DeletionContent",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
].map(([of = "", reason = "", message = ""]) =>
  fact(`Namespace${of}Failure`, "False", reason, message),
);
const NO_CONTENT = fact(
  "NamespaceContentRemaining",
  "False",
  "ContentRemoved",
  "All content successfully removed",
);
const NO_FINALIZERS = fact(
  "NamespaceFinalizersRemaining",
  "False",
  "ContentHasNoFinalizers",
  "All content-preserving finalizers finished",
);

/** Empties namespaces that are terminating. */
export class NamespaceDeletionController extends ObjectController<Namespace> {
  readonly name = "NamespaceDeletion";
  readonly resource = NAMESPACES;
  readonly watches = [watch(NAMESPACES), watchAll((event) => this.#emptied(event))];

  *#emptied({ type, object }: StoreEvent): Iterable<string> {
    const { namespace } = object.metadata;
    if (namespace !== undefined && type === "DELETED" && this.#find(namespace)) {
      yield `/${namespace}`;
    }
  }

  protected async reconcile(namespace: Namespace): Promise<undefined> {
    const { name = "", deletionTimestamp } = namespace.metadata;
    if (!deletionTimestamp || !namespace.spec?.finalizers?.includes("kubernetes")) return;
    const pods = this.client
      .resources()
      .filter(({ group, plural }) => group === "" && plural === "pods");
    const others = this.client
      .resources()
      .filter((resource) => resource.namespaced && !pods.includes(resource));
    await this.#removeAll(name, pods);
    const inGrace = this.client
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
      await this.client.update(
        NAMESPACES,
        { ...current, spec: { ...current.spec, finalizers } },
        "finalize",
      );
      return;
    }
    await this.#writeConditions(namespace, left);
  }

  #find(name: string): Namespace | undefined {
    const found = this.client.find(NAMESPACES, { name });
    return found?.metadata.deletionTimestamp ? found : undefined;
  }

  async #removeAll(namespace: string, resources: readonly ResourceInfo[]): Promise<void> {
    for (const { resource, objects } of this.#remainders(namespace, resources)) {
      for (const { metadata } of objects) {
        if (metadata.deletionTimestamp) continue;
        const removal = this.client.remove(resource, metadata, { propagationPolicy: "Background" });
        await unlessGone(removal);
      }
    }
  }

  #remainders(namespace: string, resources: readonly ResourceInfo[]): Remainder[] {
    return resources
      .map((resource) => ({ resource, objects: this.client.list(resource, { namespace }) }))
      .filter(({ objects }) => objects.length > 0);
  }

  async #writeConditions(namespace: Namespace, left: readonly Remainder[]): Promise<void> {
    const before = namespace.status?.conditions ?? [];
    const conditions = this.#conditions(before, left);
    await this.client.updateStatus(NAMESPACES, namespace, { ...namespace.status, conditions });
  }

  #conditions(before: readonly Condition[], left: readonly Remainder[]): Condition[] {
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
    const content =
      contents.length > 0 && `Some resources are remaining: ${contents.sort().join(", ")}`;
    const held =
      finalizers.length > 0 &&
      `Some content in the namespace has finalizers remaining: ${finalizers.sort().join(", ")}`;
    const facts: Condition[] = [
      ...NO_FAILURES,
      content
        ? fact("NamespaceContentRemaining", "True", "SomeResourcesRemain", content)
        : NO_CONTENT,
      held
        ? fact("NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain", held)
        : NO_FINALIZERS,
    ];
    const now = timeOf(this.clock.now());
    return facts.map((condition) => {
      const known = before.find(({ type }) => type === condition.type);
      const transition = known?.status === condition.status ? known.lastTransitionTime : undefined;
      return { ...condition, lastTransitionTime: transition ?? now };
    });
  }
}
