/** The generation of an object, which counts the changes of its desired state. */
import { asJson, getField } from "../../kube/json.ts";
import type { SentObject } from "../../kube/object.ts";
import type { Strategy } from "../kinds.ts";
import { asGiven, holdsEmptied } from "./go/emptied.ts";

/** Sets the generation after that of the old object. */
export function raiseGeneration({ metadata }: SentObject, old: SentObject): void {
  metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/**
 * Raises the generation also for a list or map that is sent empty in a field, since stored objects
 * have none.
 */
export const seesEmptied =
  (field: string) =>
  (strategy: Strategy): Strategy => ({
    ...strategy,
    prepareForUpdate(object, old, context) {
      strategy.prepareForUpdate(object, old, context);
      const value = getField(asJson(object), field);
      if (holdsEmptied(value) || (value ?? null) !== asGiven(object, field)) {
        raiseGeneration(object, old);
      }
    },
  });
