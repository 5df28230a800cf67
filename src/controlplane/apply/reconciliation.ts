/**
 * Reconciles field sets with a schema that changed: a field that became atomic is owned as a whole.
 *
 * A field that became granular is left alone; its owner keeps the bare field until its next apply.
 */
import type { Schema } from "../../kube/schema/structural.ts";
import { FieldSet } from "./field-set.ts";
import { type PathElement, fieldNameOf } from "./path-element.ts";
import {
  type NodeType,
  fieldType,
  formOf,
  isAtomicMap,
  isUntypedMap,
  itemType,
  listKeys,
} from "./topology.ts";

/** The sets that need no change, by schema. */
const fittingSets = new WeakMap<Schema, WeakSet<FieldSet>>();

/** The set reconciled with the current schema; the same object when nothing changed. */
export function reconcileFields(type: NodeType, fields: FieldSet): FieldSet {
  let fitting = fittingSets.get(type.schema);
  if (fitting?.has(fields)) return fields;
  const atoms = new FieldSet();
  visit(type, fields, [], false, atoms);
  if (!atoms.isEmpty) return fields.without(atoms).union(atoms);
  if (!fitting) fittingSets.set(type.schema, (fitting = new WeakSet()));
  fitting.add(fields);
  return fields;
}

function visit(
  type: NodeType,
  fields: FieldSet | undefined,
  path: PathElement[],
  isLeaf: boolean,
  atoms: FieldSet,
): void {
  switch (formOf(type, undefined)) {
    case "scalar":
      break;
    case "list":
      if (!isLeaf && !listKeys(type)) atoms.insert(path);
      else if (fields) visitChildren(() => itemType(type), fields, path, atoms);
      break;
    case "map":
      if (isUntypedMap(type)) break;
      if (!isLeaf && isAtomicMap(type)) {
        if (fields && !fields.isEmpty) atoms.insert(path);
      } else if (fields) {
        visitChildren(
          (element) => fieldType(type, fieldNameOf(element) ?? ""),
          fields,
          path,
          atoms,
        );
      }
      break;
  }
}

function visitChildren(
  typeOf: (element: PathElement) => NodeType | undefined,
  fields: FieldSet,
  path: PathElement[],
  atoms: FieldSet,
): void {
  for (const element of new Set([...fields.children.keys(), ...fields.members])) {
    const type = typeOf(element);
    if (!type) continue;
    const below = fields.children.get(element);
    path.push(element);
    visit(type, below, path, fields.members.has(element) && !below, atoms);
    path.pop();
  }
}
