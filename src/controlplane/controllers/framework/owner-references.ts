/**
 * Controllers and their dependents: owner references, adoption and release.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
 */
import type { SentObject, OwnerReference } from "../../../kube/object.ts";
import { type LabelSelector, matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import { present } from "../../../present.ts";
import { unlessGone } from "./absence.ts";
import type { ControllerClient, StoreEvent } from "./client.ts";
import type { ResourceName } from "../../resource-name.ts";
import { type ObjectController, type Watch, watch } from "./controller.ts";
import { textOf } from "./keys.ts";

/** The owner reference to the controller, if there is one. */
export function controllerOf(object: SentObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function isControlledBy(object: SentObject, owner: SentObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

export function controllerReference({ apiVersion, kind, metadata }: SentObject): OwnerReference {
  const { name = "", uid = "" } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** What an owner claims beside its selector. */
interface ClaimOptions<T> {
  readonly finalizer?: string;
  /** Whether a matching object may be adopted; one that may not is released. All may when absent. */
  readonly mayBeMine?: (object: T) => boolean;
}

/**
 * The objects that `owner` controls, after it adopted the matching ones without a controller and
 * released those that no longer match. An owner that is being deleted does neither.
 */
export async function claimed<T extends SentObject>(
  client: ControllerClient,
  owner: SentObject,
  resource: ResourceName<T>,
  selector: LabelSelector | undefined,
  { finalizer, mayBeMine = () => true }: ClaimOptions<T> = {},
): Promise<T[]> {
  const { namespace = "", deletionTimestamp: isLeaving } = owner.metadata;
  const mine: T[] = [];
  for (const object of client.list(resource, { namespace })) {
    const { uid, ownerReferences = [], finalizers = [], deletionTimestamp } = object.metadata;
    const controller = controllerOf(object);
    if (controller && controller.uid !== owner.metadata.uid) continue;
    const matches = matchesLabelSelector(selector, object.metadata.labels) && mayBeMine(object);
    if (controller && matches) mine.push(object);
    if (isLeaving) continue;
    if (controller && !matches) {
      const rest = ownerReferences.filter((reference) => reference.uid !== controller.uid);
      const metadata = { uid, ownerReferences: rest.length > 0 ? rest : null };
      await unlessGone(client.patch(resource, object.metadata, { metadata }));
    } else if (!controller && matches && !deletionTimestamp) {
      const metadata = {
        uid,
        ownerReferences: [...ownerReferences, controllerReference(owner)],
        ...present({ finalizers: finalizer && [...finalizers, finalizer] }),
      };
      mine.push(await client.patch(resource, object.metadata, { metadata }));
    }
  }
  return mine;
}

/** The keys of the owners of a kind that a change of a dependent concerns: its controller now and before. */
export function* ownersOf({ object, old }: StoreEvent, kind: string): Generator<string> {
  for (const dependent of old ? [object, old] : [object]) {
    const controller = controllerOf(dependent);
    if (controller?.kind !== kind) continue;
    yield `${object.metadata.namespace ?? ""}/${controller.name}`;
  }
}

/**
 * Watches the dependents of a controller that has the name of its kind: a change concerns the
 * owner now and before, and where there is none, every owner that selects the object.
 */
export function watchOwned<T extends SentObject>(
  { client, name, resource }: Pick<ObjectController<T>, "client" | "name" | "resource">,
  dependents: ResourceName,
  selectorOf: (owner: T) => LabelSelector | undefined,
): Watch {
  return watch(dependents, function* (event) {
    yield* ownersOf(event, name);
    const { namespace = "", labels } = event.object.metadata;
    if (controllerOf(event.object) || event.type === "DELETED") return;
    for (const owner of client.list(resource, { namespace })) {
      if (matchesLabelSelector(selectorOf(owner), labels)) yield textOf(owner);
    }
  });
}
