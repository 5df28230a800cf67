/**
 * Strategic merge patch: maps are merged, lists by their merge key, with directives in the patch
 * for the rest.
 *
 * `$patch: replace|delete`, `$retainKeys`, `$deleteFromPrimitiveList/FIELD`,
 * `$setElementOrder/FIELD`. The merge keys of lists are in the patch extensions of the schemas of
 * built-in kinds.
 *
 * @see https://github.com/kubernetes/design-proposals-archive/blob/main/cli/preserve-order-in-strategic-merge-patch.md
 */
import { copyJson, getField, isJsonObject, setField } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { goKindOf, withoutNulls } from "../../kube/patch.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { type StatusError, failure } from "../../kube/status.ts";
import { orderElements, partition } from "./element-order.ts";
import { printText, printType, printValue } from "../builtin/go/print.ts";

const DIRECTIVE = "$patch";
const RETAIN_KEYS = "$retainKeys";
const DELETE_FROM = "$deleteFromPrimitiveList";
const SET_ORDER = "$setElementOrder";

const refuse = (message: string): StatusError => failure(500, "", message);
const badFormat = (what: string): StatusError =>
  failure(400, "BadRequest", `invalid patch format of ${what}`);
const noMergeKey = (map: unknown, key: string): StatusError =>
  refuse(`map: ${printValue(map)} does not contain declared merge key: ${key}`);
const badType = (expected: string, actual: unknown): StatusError => {
  const type = actual === null ? printText(actual) : printType(actual);
  return refuse(`expected a ${expected}, but received a ${type}`);
};

const LIST = "[]interface {}";
const MAP = "map[string]interface {}";

/**
 * The object after a strategic merge patch. The live object is not modified; the patch loses the
 * directives that were followed, as in messages about the result, and the result shares parts with
 * it. apiVersion and kind are those of the live object, whatever the patch says.
 *
 * @param schema - the schema of the whole object, of a built-in kind
 * @throws StatusError 500 without a reason for most mistakes, 400 for malformed directives, 422
 *   for lists of lists
 */
export function strategicMerge(live: JsonObject, patch: unknown, schema: Schema): JsonObject {
  if (patch !== null && !isJsonObject(patch)) {
    const kind = goKindOf(patch);
    throw failure(400, "BadRequest", `json: cannot unmarshal ${kind} into Go value of type ${MAP}`);
  }
  const merged = mergeMap(copyJson(live), patch ?? {}, schema);
  return { ...merged, apiVersion: live["apiVersion"], kind: live["kind"] };
}

/** The patch strategy of a field. */
interface FieldPlan {
  readonly schema: Schema;
  readonly strategy: string;
  readonly mergeKey: string;
}

function planOf(schema: Schema, field: string): FieldPlan {
  const declared = schema.properties && getField(schema.properties, field);
  const more = schema.additionalProperties;
  const node = declared ?? (typeof more === "object" ? more : undefined);
  if (!node) {
    throw refuse(`unable to find api field in struct for the json field ${JSON.stringify(field)}`);
  }
  const strategies = (node["x-kubernetes-patch-strategy"] ?? "").split(",");
  return {
    schema: node,
    strategy: strategies.find((strategy) => strategy !== "retainKeys") ?? "",
    mergeKey: node["x-kubernetes-patch-merge-key"] ?? "",
  };
}

/** Merges in place; both maps may be modified. */
function mergeMap(original: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return followDirective(patch);
  retainKeys(original, patch);
  for (const key of Object.keys(patch)) {
    if (key.startsWith(SET_ORDER)) mergeOrdered(original, patch, key, schema);
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_FROM)) {
      const field = fieldOf(key, DELETE_FROM, "primitive list");
      mergeField(original, field, value, schema, true);
    } else mergeField(original, key, value, schema, false);
  }
  return original;
}

function followDirective(patch: JsonObject): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive === "delete") return {};
  if (directive !== "replace") {
    throw refuse(`unknown patch type: ${printText(directive)} in map: ${printValue(patch)}`);
  }
  Reflect.deleteProperty(patch, DIRECTIVE);
  return patch;
}

function fieldOf(key: string, prefix: string, what: string): string {
  if (!key.startsWith(`${prefix}/`)) throw badFormat(what);
  return key.slice(prefix.length + 1);
}

/**
 * Keeps the fields of the live map that the patch lists; a patch may not set fields that it does
 * not list.
 */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return;
  const listed = patch[RETAIN_KEYS];
  Reflect.deleteProperty(patch, RETAIN_KEYS);
  if (!Array.isArray(listed)) throw badFormat("retainKeys");
  const kept = new Set<unknown>(listed);
  for (const [key, value] of Object.entries(patch)) {
    const isDirective = key.startsWith(DELETE_FROM) || key.startsWith(SET_ORDER);
    if (value !== null && !isDirective && !kept.has(key)) throw badFormat("retainKeys");
  }
  for (const key of Object.keys(original)) {
    if (!kept.has(key)) Reflect.deleteProperty(original, key);
  }
}

function mergeField(
  original: JsonObject,
  key: string,
  value: unknown,
  schema: Schema,
  isDeleteList: boolean,
): void {
  if (value === null) {
    Reflect.deleteProperty(original, key);
    return;
  }
  const current = getField(original, key);
  if (current === undefined || goKindOf(current) !== goKindOf(value)) {
    if (!isDeleteList) takeField(original, key, withoutNulls(value));
  } else if (isJsonObject(current) && isJsonObject(value)) {
    const plan = planOf(schema, key);
    const merged = plan.strategy === "replace" ? value : mergeMap(current, value, plan.schema);
    setField(original, key, merged);
  } else if (Array.isArray(current) && Array.isArray(value)) {
    const plan = planOf(schema, key);
    setField(original, key, mergeLists(current, value, plan, isDeleteList));
  } else setField(original, key, value);
}

/**
 * Takes a value for a field that is absent or of another type; a value that is a directive removes
 * the field.
 */
function takeField(original: JsonObject, key: string, value: unknown): void {
  const plain = withoutDirectives(value);
  if (plain === undefined) Reflect.deleteProperty(original, key);
  else setField(original, key, plain);
}

/**
 * The value without maps that hold a directive; `undefined` when the value is such a map itself.
 */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutDirectives).filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const kept: JsonObject = {};
  for (const [key, field] of Object.entries(value)) {
    const plain = withoutDirectives(field);
    if (plain !== undefined) setField(kept, key, plain);
  }
  return kept;
}

const listOf = (value: unknown): unknown[] => {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value as unknown[];
  throw badType(LIST, value);
};

/** Merges a list for which the patch gives an order, and removes both from the patch. */
function mergeOrdered(
  original: JsonObject,
  patch: JsonObject,
  directive: string,
  schema: Schema,
): void {
  const order = listOf(patch[directive]);
  Reflect.deleteProperty(patch, directive);
  const field = fieldOf(directive, SET_ORDER, "setElementOrder list");
  const isLive = Object.hasOwn(original, field);
  const isPatched = Object.hasOwn(patch, field);
  const live = listOf(getField(original, field));
  const patched = listOf(getField(patch, field));
  const plan = planOf(schema, field);
  checkOrder(patched, order, plan.mergeKey);
  if (!isLive && !isPatched) return;
  const before = [...live];
  const itemType = elementType(live, patched);
  let merged = live;
  if (!isLive) merged = withoutDirectives(patched) as unknown[];
  else if (isPatched) merged = mergeLists(live, patched, plan, false);
  const isMapList = itemType === "object";
  if (isMapList) checkOrderItems(order);
  const [inOrder, others] = partition(merged, order, keyOf(plan.mergeKey));
  if (isMapList) checkMergeKeys(plan.mergeKey, merged, order, before);
  setField(original, field, orderElements(inOrder, others, order, before, keyOf(plan.mergeKey)));
  Reflect.deleteProperty(patch, field);
}

function checkOrderItems(order: readonly unknown[]): void {
  const index = order.findIndex((item) => !isJsonObject(item));
  if (index >= 0) throw refuse(`value for key ${index} is not a map`);
}

/** The key that identifies elements: the value of the merge key, or the element itself. */
const keyOf =
  (mergeKey: string) =>
  (item: unknown): unknown =>
    mergeKey === "" || !isJsonObject(item) ? item : getField(item, mergeKey);

function checkMergeKeys(mergeKey: string, ...lists: readonly (readonly unknown[])[]): void {
  for (const item of lists.flat()) {
    if (!isJsonObject(item)) throw badType(MAP, item);
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  }
}

/**
 * Checks that the patch's items come in the given order and are all in it, except for deletions.
 */
function checkOrder(
  patched: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string,
): void {
  if (patched.length === 0 || order.length === 0) return;
  const items = patched.filter((item) => {
    if (mergeKey === "") return true;
    if (!isJsonObject(item)) throw badType(MAP, item);
    return !Object.hasOwn(item, DIRECTIVE);
  });
  if (mergeKey !== "") checkMergeKeys(mergeKey, items, order);
  const key = keyOf(mergeKey);
  let at = 0;
  for (const wanted of order) if (at < items.length && key(items[at]) === key(wanted)) at++;
  if (at < items.length) {
    throw refuse(
      `The order in patch list:\n${printValue(patched)}\n doesn't match $setElementOrder list:\n${printValue(order)}\n`,
    );
  }
}

/** The common type of all elements. @throws StatusError when there are several */
function elementType(...lists: readonly (readonly unknown[])[]): string {
  const types = new Set(lists.flat().map(goKindOf));
  if (types.has("array")) {
    throw failure(
      422,
      "Invalid",
      "the server rejected our request due to an error in our request",
      {},
    );
  }
  if (types.size > 1) {
    throw refuse(`list element types are not identical: ${printValue(lists)}`);
  }
  const [type] = types;
  if (type === undefined) throw refuse("no elements in any of the given slices");
  return type;
}

function mergeLists(
  live: unknown[],
  patched: unknown[],
  { schema, strategy, mergeKey }: FieldPlan,
  isDeleteList: boolean,
): unknown[] {
  if (strategy !== "merge" && !isDeleteList) return patched;
  if (live.length === 0 && patched.length === 0) return live;
  if (elementType(live, patched) !== "object") {
    if (isDeleteList) return live.filter((item) => !patched.includes(item));
    const merged = [...new Set([...live, ...patched])];
    const [inPatch, others] = partition(merged, patched, keyOf(""));
    return orderElements(inPatch, others, patched, live, keyOf(""));
  }
  if (mergeKey === "") throw refuse("cannot merge lists without merge key for struct");
  const { items, changes } = followListDirectives(live, patched, mergeKey);
  const before = [...items];
  const merged = mergeItems(items, changes, schema.items ?? {}, mergeKey);
  checkMergeKeys(mergeKey, merged);
  const key = keyOf(mergeKey);
  const [inPatch, others] = partition(merged, changes, key);
  return orderElements(inPatch, others, changes, before, key);
}

/** Removes the items with directives from a patch and follows the directives. */
function followListDirectives(
  live: readonly unknown[],
  patched: readonly unknown[],
  mergeKey: string,
): { readonly items: unknown[]; readonly changes: readonly JsonObject[] } {
  let items = [...live];
  let isReplaced = false;
  const changes: JsonObject[] = [];
  for (const item of patched) {
    if (!isJsonObject(item)) continue;
    const directive = getField(item, DIRECTIVE);
    if (directive === undefined) changes.push(item);
    else if (directive === "replace") isReplaced = true;
    else if (directive === "delete") {
      if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
      const gone = item[mergeKey];
      items = items.filter((known) => keyOf(mergeKey)(known) !== gone);
    } else if (directive === "merge") {
      throw refuse("merging lists cannot yet be specified in the patch");
    } else {
      throw refuse(`unknown patch type: ${printText(directive)} in map: ${printValue(item)}`);
    }
  }
  return isReplaced ? { items: changes, changes: [] } : { items, changes };
}

function mergeItems(
  items: unknown[],
  changes: readonly JsonObject[],
  schema: Schema,
  mergeKey: string,
): unknown[] {
  const key = keyOf(mergeKey);
  for (const change of changes) {
    if (!Object.hasOwn(change, mergeKey)) throw noMergeKey(change, mergeKey);
    const at = items.findIndex((item) => key(item) === change[mergeKey]);
    const known = items[at];
    if (isJsonObject(known)) items[at] = mergeMap(known, change, schema);
    else items.push(change);
  }
  return items;
}
