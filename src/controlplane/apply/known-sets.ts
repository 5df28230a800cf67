/**
 * Sets of fields that were written before. Most objects of a kind are written by the same managers with the same
 * fields: they share one set, and one `fieldsV1`.
 *
 * @module
 */
import type { JsonObject } from "../../kube/object.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { FieldSet } from "./field-set.ts";

/** How many sets of a kind are known at a time. */
const KNOWN_MAX = 1000;

const setsOfKinds = new WeakMap<Schema, Map<string, FieldSet>>();
const setsByFieldsV1 = new WeakMap<JsonObject, FieldSet>();

/** The set that stands for all that are equal to this one, in the kind of that schema. It stays as it is. */
export function knownSet(schema: Schema, fields: FieldSet): FieldSet {
  const sets = setsOfKinds.get(schema) ?? new Map<string, FieldSet>();
  if (sets.size === 0) setsOfKinds.set(schema, sets);
  const name = fields.identify();
  const known = sets.get(name);
  if (known) return known;
  // Sets that differ from object to object are of no use here.
  if (sets.size >= KNOWN_MAX) sets.clear();
  sets.set(name, fields);
  setsByFieldsV1.set(fields.toFieldsV1(), fields);
  return fields;
}

/** Reads `fieldsV1`; `undefined` when it is malformed. */
export function readSet(fieldsV1: JsonObject): FieldSet | undefined {
  return setsByFieldsV1.get(fieldsV1) ?? FieldSet.fromFieldsV1(fieldsV1);
}
