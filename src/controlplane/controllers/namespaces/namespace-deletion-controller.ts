/**
 * Deletion of namespaces: their pods are deleted first, then all other content; until then their
 * conditions list what remains.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
 */
import type { SentObject } from "../../../kube/object.ts";
import { type ResourceInfo, groupResourceOf } from "../../../kube/resource.ts";
import type { Namespace } from "../../builtin/kinds/core/namespace.ts";
import { unlessGone } from "../framework/absence.ts";
import type { StoreEvent } from "../framework/client.ts";
import { NAMESPACES, PODS } from "../../builtin/tokens.ts";
import { isSameResource } from "../../resource-name.ts";
import { timed } from "../framework/conditions.ts";
import { ObjectController, type Tools, watch, watchAll } from "../framework/controller.ts";

/** The remaining objects of one resource. */
interface Remainder {
  readonly resource: ResourceInfo;
  readonly objects: readonly SentObject[];
}

/** The reasons and messages of the conditions while nothing fails and nothing is left. */
const NO_PROBLEM = {
  NamespaceDeletionDiscoveryFailure: [
    "ResourcesDiscovered",
    "All resources successfully discovered",
  ],
  NamespaceDeletionGroupVersionParsingFailure: [
    "ParsedGroupVersions",
    "All legacy kube types successfully parsed",
  ],
  NamespaceDeletionContentFailure: [
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  NamespaceContentRemaining: ["ContentRemoved", "All content successfully removed"],
  NamespaceFinalizersRemaining: [
    "ContentHasNoFinalizers",
    "All content-preserving finalizers finished",
  ],
} as const;

/** Empties namespaces that are terminating. */
export class NamespaceDeletionController extends ObjectController<Namespace> {
  readonly name = "NamespaceDeletion";
  readonly resource = NAMESPACES;
  readonly watches = [watch(NAMESPACES), watchAll((event) => this.#emptied(event))];
  readonly #graceMs: number;
  /** When a namespace was first seen to be terminating, by its uid. */
  readonly #terminating = new Map<string, number>();

  /** @param graceMs - how long a deleted namespace stays before its content is deleted, in milliseconds */
  constructor(tools: Tools, { graceMs }: { readonly graceMs: number }) {
    super(tools);
    this.#graceMs = graceMs;
  }

  *#emptied({ type, object }: StoreEvent): Iterable<string> {
    const { namespace } = object.metadata;
    if (namespace !== undefined && type === "DELETED" && this.#find(namespace)) {
      yield `/${namespace}`;
    }
  }

  protected async reconcile(namespace: Namespace): Promise<number | undefined> {
    const { uid = "", deletionTimestamp } = namespace.metadata;
    if (!deletionTimestamp) return undefined;
    const now = this.clock.monotonicMs();
    const sinceMs = this.#terminating.get(uid) ?? now;
    this.#terminating.set(uid, sinceMs);
    if (now - sinceMs < this.#graceMs) return sinceMs + this.#graceMs - now;
    if (await this.#empty(namespace)) this.#terminating.delete(uid);
    return undefined;
  }

  /** Deletes the content of a namespace. @returns whether the namespace is let go */
  async #empty(namespace: Namespace): Promise<boolean> {
    const { name = "" } = namespace.metadata;
    if (!namespace.spec?.finalizers?.includes("kubernetes")) return true;
    const resources = this.client.resources().filter(({ namespaced }) => namespaced);
    const isPods = (resource: ResourceInfo): boolean => isSameResource(resource, PODS);
    await this.#removeAll(name, resources.filter(isPods));
    // Pods still need the objects that are mounted into them, until the last one is gone.
    if (this.client.list(PODS, { namespace: name }).length > 0) {
      await this.#writeConditions(namespace, []);
      return false;
    }
    await this.#removeAll(
      name,
      resources.filter((resource) => !isPods(resource)),
    );
    const left = this.#remainders(name, resources);
    await this.#writeConditions(namespace, left);
    if (left.length > 0) return false;
    const finalizers = namespace.spec.finalizers.filter((one) => one !== "kubernetes");
    const current = this.#find(name) ?? namespace;
    const emptied = { ...current, spec: { ...current.spec, finalizers } };
    await this.client.update(NAMESPACES, emptied, "finalize");
    return true;
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
    const contents = left.map(
      ({ resource, objects }) =>
        `${resource.group === "" ? `${resource.plural}.` : groupResourceOf(resource)} has ${objects.length} resource instances`,
    );
    const holders = new Map<string, number>();
    for (const { metadata } of left.flatMap(({ objects }) => objects)) {
      for (const one of metadata.finalizers ?? []) holders.set(one, (holders.get(one) ?? 0) + 1);
    }
    const held = [...holders].map(([one, count]) => `${one} in ${count} resource instances`);
    const listed = (what: string, texts: string[]): string => `${what}: ${texts.sort().join(", ")}`;
    const remaining = listed("Some resources are remaining", contents);
    const kept = listed("Some content in the namespace has finalizers remaining", held);
    const problems: Readonly<Record<string, readonly [string, string]>> = {
      ...(contents.length > 0
        ? { NamespaceContentRemaining: ["SomeResourcesRemain", remaining] }
        : {}),
      ...(held.length > 0 ? { NamespaceFinalizersRemaining: ["SomeFinalizersRemain", kept] } : {}),
    };
    const conditions = Object.entries(NO_PROBLEM).map(([type, none]) => {
      const status = problems[type] ? "True" : "False";
      const [reason, message] = problems[type] ?? none;
      return timed(before, { type, status, reason, message }, this.clock.now());
    });
    await this.client.updateStatus(NAMESPACES, namespace, { ...namespace.status, conditions });
  }
}
