/** The fields that an object mentions, which its applier owns. */
import { isJsonObject } from "../../kube/json.ts";
import { FieldSet } from "./field-set.ts";
import { type PathElement, fieldElement } from "./path-element.ts";
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

function visitMap(
  type: NodeType,
  map: Record<string, unknown>,
  path: PathElement[],
  set: FieldSet,
): void {
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
