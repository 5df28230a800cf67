/**
 * Shared sets of fields. Most objects of a kind are written by the same managers with the same
 * fields, so they share one set and one `fieldsV1`.
 */
import type { JsonObject } from "../../kube/object.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { FieldSet } from "./field-set.ts";

/**
 * The limit on the total length of the names of a kind's known sets, in characters; a set takes a
 * few times as many bytes.
 */
const NAMES_MAX = 200_000;
/**
 * The longest name of a shared set: longer ones belong to huge objects, which few others resemble.
 */
const NAME_MAX = 20_000;

interface KnownSets {
  readonly byName: Map<string, FieldSet>;
  namesLength: number;
}

const setsOfKinds = new WeakMap<Schema, KnownSets>();
const setsByFieldsV1 = new WeakMap<JsonObject, FieldSet>();

/** The shared set that equals this one, for the kind of that schema. It must not be modified. */
export function knownSet(schema: Schema, fields: FieldSet): FieldSet {
  const name = fields.identify();
  if (name.length > NAME_MAX) return fields;
  let sets = setsOfKinds.get(schema);
  if (!sets) setsOfKinds.set(schema, (sets = { byName: new Map(), namesLength: 0 }));
  const known = sets.byName.get(name);
  if (known) return known;
  // Sets that differ from object to object are not worth sharing.
  if (sets.namesLength + name.length > NAMES_MAX) {
    sets.byName.clear();
    sets.namesLength = 0;
  }
  sets.byName.set(name, fields);
  sets.namesLength += name.length;
  setsByFieldsV1.set(fields.toFieldsV1(), fields);
  return fields;
}

/** Reads `fieldsV1`; `undefined` when it is malformed. */
export function readSet(fieldsV1: JsonObject): FieldSet | undefined {
  return setsByFieldsV1.get(fieldsV1) ?? FieldSet.fromFieldsV1(fieldsV1);
}
