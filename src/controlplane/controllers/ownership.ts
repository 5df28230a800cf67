/**
 * Controllers and their dependents: owner references, adoption and release.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
 */
import type { SentObject, OwnerReference } from "../../kube/object.ts";
import { type LabelSelector, matchesLabelSelector } from "../../kube/selectors/selector.ts";
import { unlessGone } from "./absence.ts";
import type { ControllerClient, StoreEvent } from "./client.ts";
import type { ResourceName } from "../resource-name.ts";
import { type Watch, watch } from "./controller.ts";
import { textOf } from "./keys.ts";

/** A kind that owns objects of others. */
export interface OwnerKind<T extends SentObject = SentObject> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: ResourceName<T>;
}

/** The owner reference to the controller, if there is one. */
export function controllerOf(object: SentObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Whether `owner` is the controller of `object`. */
export function isControlledBy(object: SentObject, owner: SentObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** A controller reference to `owner`. */
export function controllerReference(owner: SentObject, kind: OwnerKind): OwnerReference {
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    name: owner.metadata.name ?? "",
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** A claim of an owner to the objects that its selector matches. */
interface Claim<T extends SentObject> {
  readonly client: ControllerClient;
  readonly owner: SentObject;
  readonly kind: OwnerKind;
  readonly resource: ResourceName<T>;
  readonly selector: LabelSelector | undefined;
  /** The finalizer that adopted objects get. */
  readonly finalizer?: string;
  /**
   * Whether a matching object may be adopted; one that may not is released. All may when absent.
   */
  readonly mayBeMine?: (object: T) => boolean;
}

/**
 * The objects that `owner` controls, after it adopted the matching ones without a controller and
 * released those that no longer match. An owner that is being deleted adopts nothing.
 */
export async function claimed<T extends SentObject>({
  client,
  owner,
  kind,
  resource,
  selector,
  finalizer,
  mayBeMine = () => true,
}: Claim<T>): Promise<T[]> {
  const { namespace = "" } = owner.metadata;
  const mine: T[] = [];
  for (const object of client.list(resource, { namespace })) {
    const controller = controllerOf(object);
    const matches = matchesLabelSelector(selector, object.metadata.labels) && mayBeMine(object);
    if (controller) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (matches) mine.push(object);
      else if (!owner.metadata.deletionTimestamp) await release(client, resource, object, owner);
    } else if (matches && !owner.metadata.deletionTimestamp && !object.metadata.deletionTimestamp) {
      mine.push(await adopt(client, resource, object, controllerReference(owner, kind), finalizer));
    }
  }
  return mine;
}

async function adopt<T extends SentObject>(
  client: ControllerClient,
  resource: ResourceName<T>,
  object: SentObject,
  reference: OwnerReference,
  finalizer: string | undefined,
): Promise<T> {
  const { uid, ownerReferences = [], finalizers = [] } = object.metadata;
  return client.patch(resource, object.metadata, {
    metadata: {
      uid,
      ownerReferences: [...ownerReferences, reference],
      ...(finalizer === undefined ? {} : { finalizers: [...finalizers, finalizer] }),
    },
  });
}

async function release(
  client: ControllerClient,
  resource: ResourceName,
  object: SentObject,
  owner: SentObject,
): Promise<void> {
  const { uid, ownerReferences = [] } = object.metadata;
  const rest = ownerReferences.filter((reference) => reference.uid !== owner.metadata.uid);
  const metadata = { uid, ownerReferences: rest.length > 0 ? rest : null };
  await unlessGone(client.patch(resource, object.metadata, { metadata }));
}

/**
 * The keys of the owners of a kind that a change of a dependent concerns: its controller now and
 * before.
 */
export function* ownersOf({ object, old }: StoreEvent, kind: string): Generator<string> {
  for (const dependent of old ? [object, old] : [object]) {
    const controller = controllerOf(dependent);
    if (controller?.kind !== kind) continue;
    yield `${object.metadata.namespace ?? ""}/${controller.name}`;
  }
}

/**
 * Watches dependents: a change concerns the controller now and before, and where there is none,
 * every owner that selects the object.
 */
export function watchOwned<T extends SentObject>(
  client: ControllerClient,
  dependents: ResourceName,
  kind: OwnerKind<T>,
  selectorOf: (owner: T) => LabelSelector | undefined,
): Watch {
  return watch(dependents, function* (event) {
    yield* ownersOf(event, kind.kind);
    const { namespace = "", labels } = event.object.metadata;
    if (controllerOf(event.object) || event.type === "DELETED") return;
    for (const owner of client.list(kind.resource, { namespace })) {
      if (matchesLabelSelector(selectorOf(owner), labels)) yield textOf(owner);
    }
  });
}
