/**
 * The garbage collector: deletes objects whose owners are all gone; owners wait for their
 * dependents, or orphan them.
 *
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
import type { SentObject, OwnerReference } from "../../kube/object.ts";
import { unlessGone } from "./framework/absence.ts";
import type { DeleteOptions, ObjectName, StoreEvent } from "./framework/client.ts";
import type { ResourceName } from "../resource-name.ts";
import { Controller, watchAll } from "./framework/controller.ts";
import { referredResource } from "./framework/keys.ts";

const FOREGROUND = "foregroundDeletion";
const ORPHAN = "orphan";

interface Known {
  readonly resource: ResourceName;
  readonly place: ObjectName;
  readonly owners: readonly OwnerReference[];
}

/** The state of an owner: it exists, is gone, or waits for its dependents. */
type OwnerState = "solid" | "dangling" | "waiting";

/** Whether an object is being deleted, and has the finalizer. */
const isLeaving = ({ metadata }: SentObject, finalizer: string): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true;

/** The graph of owner references, by uid. */
export class GarbageCollector extends Controller {
  readonly name = "GarbageCollector";
  readonly watches = [watchAll((event) => this.#observe(event))];
  readonly #known = new Map<string, Known>();
  readonly #dependents = new Map<string, Set<string>>();

  *#observe({ type, resource, object }: StoreEvent): Iterable<string> {
    const { uid = "", namespace = "", name = "" } = object.metadata;
    const before = this.#known.get(uid)?.owners ?? [];
    const owners = object.metadata.ownerReferences ?? [];
    for (const owner of before) this.#dependents.get(owner.uid)?.delete(uid);
    if (type === "DELETED") {
      this.#known.delete(uid);
      yield* this.#dependents.get(uid) ?? [];
      this.#dependents.delete(uid);
      for (const owner of before) yield owner.uid;
      return;
    }
    this.#known.set(uid, { resource, place: { namespace, name }, owners });
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid) ?? new Set();
      this.#dependents.set(owner.uid, dependents.add(uid));
    }
    if (owners.length > 0 || isLeaving(object, FOREGROUND) || isLeaving(object, ORPHAN)) yield uid;
    // An owner in foreground deletion may have waited for this reference.
    for (const owner of before) {
      if (!owners.some((now) => now.uid === owner.uid && now.blockOwnerDeletion)) yield owner.uid;
    }
  }

  async sync(uid: string): Promise<undefined> {
    const object = this.#find(uid);
    if (!object) return;
    if (isLeaving(object, ORPHAN)) await this.#orphan(object);
    else if (isLeaving(object, FOREGROUND)) await this.#awaitDependents(object);
    else if (!object.metadata.deletionTimestamp) await this.#collect(object);
  }

  #find(uid: string): SentObject | undefined {
    const known = this.#known.get(uid);
    const object = known && this.client.find(known.resource, known.place);
    return object?.metadata.uid === uid ? object : undefined;
  }

  #dependentsOf(owner: SentObject): SentObject[] {
    return [...(this.#dependents.get(owner.metadata.uid ?? "") ?? [])].flatMap(
      (uid) => this.#find(uid) ?? [],
    );
  }

  /** Removes the owner reference from dependents, then the finalizer of the owner. */
  async #orphan(owner: SentObject): Promise<void> {
    const { uid = "" } = owner.metadata;
    for (const dependent of this.#dependentsOf(owner)) {
      await this.#dropReferences(dependent, new Set([uid]));
    }
    await this.#dropFinalizer(owner, ORPHAN);
  }

  /** Deletes the dependents first; the owner follows when the last one that blocks it is gone. */
  async #awaitDependents(owner: SentObject): Promise<void> {
    for (const dependent of this.#dependentsOf(owner)) {
      if (!dependent.metadata.deletionTimestamp) await this.#collect(dependent);
    }
    const blocks = ({ metadata }: SentObject): boolean =>
      metadata.ownerReferences?.some(
        ({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion,
      ) ?? false;
    if (!this.#dependentsOf(owner).some(blocks)) await this.#dropFinalizer(owner, FOREGROUND);
  }

  async #collect(object: SentObject): Promise<void> {
    const { ownerReferences = [], finalizers = [] } = object.metadata;
    if (ownerReferences.length === 0) return;
    const owners: Record<OwnerState, OwnerReference[]> = { solid: [], dangling: [], waiting: [] };
    for (const reference of ownerReferences) {
      owners[await this.#stateOf(object, reference)].push(reference);
    }
    const { solid, dangling, waiting } = owners;
    if (solid.length > 0) {
      const gone = new Set([...dangling, ...waiting].map(({ uid }) => uid));
      if (gone.size > 0) await this.#dropReferences(object, gone);
      return;
    }
    const dependents = this.#dependentsOf(object);
    if (waiting.length > 0 && dependents.length > 0) {
      // In a circle each would wait for the next: this object no longer blocks its owners.
      if (dependents.some((dependent) => isLeaving(dependent, FOREGROUND)))
        await this.#unblockOwners(object);
      await this.#remove(this.#find(object.metadata.uid ?? "") ?? object, "Foreground");
    } else if (finalizers.includes(ORPHAN)) await this.#remove(object, "Orphan");
    else if (finalizers.includes(FOREGROUND)) await this.#remove(object, "Foreground");
    else await this.#remove(object, "Background");
  }

  async #stateOf(object: SentObject, reference: OwnerReference): Promise<OwnerState> {
    const info = referredResource(this.client, reference);
    // An owner that cannot be looked up may exist; nothing is deleted on a guess.
    if (!info) return "solid";
    const { namespace = "" } = object.metadata;
    const owner = this.client.find(info, {
      namespace: info.namespaced ? namespace : "",
      name: reference.name,
    });
    if (owner?.metadata.uid !== reference.uid) {
      if (info.namespaced) await this.#warnOfNamespace(object, reference);
      return info.namespaced && namespace === "" ? "solid" : "dangling";
    }
    return isLeaving(owner, FOREGROUND) ? "waiting" : "solid";
  }

  /** Warns about an owner that exists, but in another namespace. */
  async #warnOfNamespace(object: SentObject, reference: OwnerReference): Promise<void> {
    const known = this.#known.get(reference.uid);
    const { namespace = "" } = object.metadata;
    if (!known || known.place.namespace === namespace) return;
    const { apiVersion, kind, name, uid } = reference;
    const message = `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}"`;
    await this.events.record(object, "Warning", "OwnerRefInvalidNamespace", message);
  }

  async #remove(
    object: SentObject,
    propagationPolicy: NonNullable<DeleteOptions["propagationPolicy"]>,
  ): Promise<void> {
    const { uid = "", resourceVersion = "" } = object.metadata;
    const known = this.#known.get(uid);
    if (!known) return;
    const options = { propagationPolicy, uid, resourceVersion };
    await unlessGone(this.client.remove(known.resource, known.place, options));
  }

  async #unblockOwners(object: SentObject): Promise<void> {
    const { uid, ownerReferences = [] } = object.metadata;
    if (!ownerReferences.some(({ blockOwnerDeletion }) => blockOwnerDeletion)) return;
    const unblocked = ownerReferences.map((reference) =>
      reference.blockOwnerDeletion ? { ...reference, blockOwnerDeletion: false } : reference,
    );
    await this.#patch(object, { uid, ownerReferences: unblocked });
  }

  async #dropReferences(object: SentObject, uids: ReadonlySet<string>): Promise<void> {
    const rest = (object.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid));
    const { uid } = object.metadata;
    await this.#patch(object, { uid, ownerReferences: rest.length > 0 ? rest : null });
  }

  async #dropFinalizer(object: SentObject, finalizer: string): Promise<void> {
    const rest = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const { resourceVersion } = object.metadata;
    await this.#patch(object, { resourceVersion, finalizers: rest.length > 0 ? rest : null });
  }

  async #patch(object: SentObject, metadata: object): Promise<void> {
    const known = this.#known.get(object.metadata.uid ?? "");
    if (known) await unlessGone(this.client.patch(known.resource, known.place, { metadata }));
  }
}
