/** Predicates: filters of the events that lead to a reconcile. */
import { hasFinalizer, isBeingDeleted } from "../../../kube/finalizers.ts";
import { sameJson } from "../../../kube/json.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { isPaused } from "../../../kube/paused.ts";

/** An event of an object. */
export type ObjectEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "create"; readonly object: T; readonly initial: boolean }
  | { readonly type: "update"; readonly old: T; readonly object: T }
  | { readonly type: "delete"; readonly object: T; readonly tombstone: boolean };

/** Whether an event leads to a reconcile. */
export type Predicate<T extends KubeObject = KubeObject> = (event: ObjectEvent<T>) => boolean;

type Part = (object: KubeObject) => unknown;

/** Passes updates in which a part differs. Creates and deletes always pass. */
function changed(part: Part): Predicate {
  return (event) => event.type !== "update" || !sameJson(part(event.old), part(event.object));
}

/**
 * The predicates of controller-runtime. Those named `...Changed` let creates and deletes pass.
 *
 * @example
 * controllerFor(manager).for(Web, {
 *   predicates: [predicates.or(predicates.generationChanged(), predicates.labelsChanged())],
 * });
 */
export const predicates = {
  /**
   * Passes updates of the spec, which the API server counts in `metadata.generation`. Not every
   * built-in kind has one.
   */
  generationChanged: (): Predicate => changed(({ metadata }) => metadata.generation),
  /** Passes updates with any change; filters out resyncs. */
  resourceVersionChanged: (): Predicate => changed(({ metadata }) => metadata.resourceVersion),
  labelsChanged: (): Predicate => changed(({ metadata }) => metadata.labels),
  annotationsChanged: (): Predicate => changed(({ metadata }) => metadata.annotations),
  finalizersChanged: (): Predicate => changed(({ metadata }) => metadata.finalizers),
  /** Passes updates that begin the deletion. */
  deletionStarted: (): Predicate => changed(({ metadata }) => metadata.deletionTimestamp),
  /** Passes objects with these labels. */
  hasLabels:
    (labels: Readonly<Record<string, string>>): Predicate =>
    ({ object }) =>
      Object.entries(labels).every(([name, value]) => object.metadata.labels?.[name] === value),
  /** Passes events of some types. */
  on:
    (...types: readonly ObjectEvent["type"][]): Predicate =>
    ({ type }) =>
      types.includes(type),
  and:
    <T extends KubeObject>(...all: readonly Predicate<T>[]): Predicate<T> =>
    (event) =>
      all.every((predicate) => predicate(event)),
  or:
    <T extends KubeObject>(...any: readonly Predicate<T>[]): Predicate<T> =>
    (event) =>
      any.some((predicate) => predicate(event)),
  not:
    <T extends KubeObject>(predicate: Predicate<T>): Predicate<T> =>
    (event) =>
      !predicate(event),
};

/**
 * The filters of the kind that a controller is for, which still pass the events that the runtime
 * itself needs: the deletion of an object that has the controller's finalizer, and the end of a
 * pause.
 */
export function withoutLosing<T extends KubeObject>(
  filters: readonly Predicate<T>[],
  finalizer: string | undefined,
): Predicate<T> {
  const passes = (event: ObjectEvent<T>): boolean => filters.every((filter) => filter(event));
  return (event) => {
    if (passes(event)) return true;
    const { type, object } = event;
    if (type === "delete") return false;
    const old = type === "update" ? event.old : undefined;
    if (finalizer !== undefined && isBeingDeleted(object) && hasFinalizer(object, finalizer)) {
      return !old || !isBeingDeleted(old);
    }
    // Changes during the pause were not reconciled: the object is handled as if it had just been
    // added.
    return old !== undefined && isPaused(old) !== isPaused(object)
      ? passes({ type: "create", object, initial: false })
      : false;
  };
}
