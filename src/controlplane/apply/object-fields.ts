/** The fields of an object: those that it mentions, and the object without some of them. */
import { isJsonObject, setField } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { FieldSet } from "./field-set.ts";
import { type PathElement, fieldElement, fieldNameOf } from "./path-element.ts";
import {
  type NodeType,
  declaresField,
  fieldType,
  formOf,
  isAtomicMap,
  itemElement,
  itemType,
  listKeys,
} from "./topology.ts";

/** Every leaf, list item and free map key of a value that fits its type. */
export function fieldsOf(type: NodeType, value: unknown): FieldSet {
  const set = new FieldSet();
  visit(type, value, [], set);
  return set;
}

function visit(type: NodeType, value: unknown, path: PathElement[], set: FieldSet): void {
  switch (formOf(type, value)) {
    case "scalar":
      set.insert(path);
      break;
    case "map":
      if (isAtomicMap(type)) set.insert(path);
      else if (isJsonObject(value)) visitMap(type, value, path, set);
      break;
    case "list":
      visitList(type, value, path, set);
      break;
  }
}

function visitMap(type: NodeType, map: JsonObject, path: PathElement[], set: FieldSet): void {
  for (const key of Object.keys(map)) {
    const value = map[key];
    const child = fieldType(type, key);
    if (!child || value === undefined) continue;
    path.push(fieldElement(key));
    visit(child, value, path, set);
    const isEmpty = value === null || (isJsonObject(value) && Object.keys(value).length === 0);
    if (isEmpty || !declaresField(type, key)) set.insert(path);
    path.pop();
  }
}

function visitList(type: NodeType, value: unknown, path: PathElement[], set: FieldSet): void {
  const keys = listKeys(type);
  if (!keys) {
    set.insert(path);
    return;
  }
  if (!Array.isArray(value)) return;
  const items = itemType(type);
  const elements = value.map((item) => itemElement(type, keys, item));
  const counts = new Map<PathElement, number>();
  for (const known of elements) {
    if ("element" in known) counts.set(known.element, (counts.get(known.element) ?? 0) + 1);
  }
  for (const [index, known] of elements.entries()) {
    if (!("element" in known)) continue;
    path.push(known.element);
    // Duplicate items are owned as one, without their content.
    if (counts.get(known.element) === 1) visit(items, value[index], path, set);
    set.insert(path);
    path.pop();
  }
}

/**
 * The value without the fields and items of `fields`. A container that is left empty becomes null,
 * as on the real server. Atomic containers below a removed path become null too.
 */
export function removeFields(type: NodeType, value: unknown, fields: FieldSet): unknown {
  switch (formOf(type, value)) {
    case "scalar":
      return value;
    case "map":
      return isJsonObject(value) && !isAtomicMap(type) ? removeFromMap(type, value, fields) : null;
    case "list":
      return Array.isArray(value) ? removeFromList(type, value, fields) : null;
  }
}

function removeFromMap(type: NodeType, map: JsonObject, fields: FieldSet): JsonObject | null {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(map)) {
    const element = fieldElement(key);
    if (fields.members.has(element)) continue;
    const below = fields.children.get(element);
    const child = below && !below.isEmpty ? fieldType(type, key) : undefined;
    setField(kept, key, below && child ? removeFields(child, value, below) : value);
  }
  return Object.keys(kept).length > 0 ? kept : null;
}

function removeFromList(
  type: NodeType,
  list: readonly unknown[],
  fields: FieldSet,
): unknown[] | null {
  const keys = listKeys(type);
  if (!keys) return null;
  const items = itemType(type);
  const kept: unknown[] = [];
  for (const item of list) {
    const known = itemElement(type, keys, item);
    if ("mistake" in known) {
      kept.push(item);
      continue;
    }
    if (fields.members.has(known.element)) continue;
    const below = fields.children.get(known.element);
    kept.push(below && !below.isEmpty ? removeFields(items, item, below) : item);
  }
  return kept.length > 0 ? kept : null;
}

/** The set, with every declared field that leads to one of its paths added as a path. */
export function withNamedFields(type: NodeType | undefined, fields: FieldSet): FieldSet {
  const members = new Set(fields.members);
  const children = new Map<string, FieldSet>();
  for (const [element, below] of fields.children) {
    const name = fieldNameOf(element);
    let child: NodeType | undefined;
    if (type && name !== undefined) {
      if (declaresField(type, name)) members.add(element);
      child = fieldType(type, name);
    } else if (type && element.startsWith("k:")) {
      child = itemType(type);
    }
    children.set(element, withNamedFields(child, below));
  }
  return new FieldSet(members, children);
}
