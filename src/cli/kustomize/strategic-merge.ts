/**
 * Strategic merge patches, as kustomize merges them: lists of known kinds are merged by their keys,
 * all others are replaced.
 */
import { copyJson, getField, isJsonObject, setField } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { ValuePath } from "../project/yaml/yaml-documents.ts";
import { scalarText } from "./resource.ts";
import { type MergeShape, mergeShapeOf } from "./schema-kinds.ts";

/** A change that a patch cannot make to the object. */
export class MergeProblem extends Error {}

type Directive = "merge" | "replace" | "delete";

/**
 * The patched object; `undefined` when the patch deletes it. The arguments stay as they are.
 *
 * @param blankFields - the fields of the object that are written without a value, which the merge leaves out
 */
export function mergeStrategically(
  object: JsonObject,
  patch: JsonObject,
  blankFields: readonly ValuePath[],
): JsonObject | undefined {
  const shape = mergeShapeOf(object["apiVersion"], object["kind"]);
  const target = copyJson(object);
  for (const path of blankFields) removeBlank(target, path, shape);
  return merged(target, copyJson(patch), shape, []) as JsonObject | undefined;
}

/** Removes the field at the path when it has no value; lists that are replaced as a whole stay as they are. */
function removeBlank(value: unknown, [step, ...rest]: ValuePath, shape?: MergeShape): void {
  if (typeof step === "number") {
    if (!Array.isArray(value) || !shape?.mergeBy) return;
    removeBlank(value[step], rest, itemShape(shape));
  } else if (step !== undefined && isJsonObject(value)) {
    if (rest.length > 0) removeBlank(getField(value, step), rest, shape?.fields?.[step]);
    else if (getField(value, step) === null) Reflect.deleteProperty(value, step);
  }
}

function merged(
  target: unknown,
  patch: unknown,
  shape: MergeShape | undefined,
  path: readonly string[],
): unknown {
  const leading = target ?? patch;
  if (Array.isArray(leading)) {
    assertKind(Array.isArray(patch) || isNothing(patch), path, "a list");
    if (!shape?.mergeBy) return patch === undefined ? target : patch;
    return mergedList(target, patch, shape, path);
  }
  if (isJsonObject(leading)) {
    assertKind(isJsonObject(patch) || isNothing(patch), path, "a mapping");
    return mergedMapping(target, patch, shape, path);
  }
  if (leading === undefined || leading === null) return patch === undefined ? target : undefined;
  assertKind(typeof patch !== "object" || patch === null, path, "a single value");
  return patch === undefined ? target : patch;
}

function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function assertKind(fits: boolean, path: readonly string[], expected: string): void {
  if (!fits) throw new MergeProblem(`${path.join(".")} is ${expected} in the object`);
}

function mergedMapping(
  target: unknown,
  patch: unknown,
  shape: MergeShape | undefined,
  path: readonly string[],
): unknown {
  if (patch === null) return undefined;
  const directive = isJsonObject(patch) ? takeDirective(patch, path) : "merge";
  if (directive === "delete") return undefined;
  const replaces = directive === "replace" || isNothing(target);
  const result = (replaces ? patch : target) as JsonObject;
  const from = (replaces ? patch : (patch ?? {})) as JsonObject;
  for (const field of new Set([...Object.keys(result), ...Object.keys(from)])) {
    const value = merged(getField(result, field), getField(from, field), shape?.fields?.[field], [
      ...path,
      field,
    ]);
    // A null of the object stays when the patch does not speak of it; one of the patch removes the field.
    if (value === undefined || (value === null && getField(from, field) !== undefined)) {
      Reflect.deleteProperty(result, field);
    } else {
      setField(result, field, value);
    }
  }
  return result;
}

/** The merge rules of a list's items. */
function itemShape({ fields }: MergeShape): MergeShape {
  return fields === undefined ? {} : { fields };
}

function takeDirective(patch: JsonObject, path: readonly string[]): Directive {
  const { $patch: directive } = patch;
  if (directive === undefined) return "merge";
  Reflect.deleteProperty(patch, "$patch");
  return knownDirective(directive, path);
}

function knownDirective(directive: unknown, path: readonly string[]): Directive {
  if (directive === "merge" || directive === "replace" || directive === "delete") return directive;
  throw new MergeProblem(
    `${[...path, "$patch"].join(".")} is ${JSON.stringify(directive)}, but must be merge, replace, or delete`,
  );
}

/** The directive of a whole list: an item that has nothing else. */
function takeListDirective(patch: unknown[], path: readonly string[]): Directive {
  const index = patch.findIndex((item) => isJsonObject(item) && Object.hasOwn(item, "$patch"));
  const item = patch[index];
  if (!isJsonObject(item) || Object.keys(item).length > 1) return "merge";
  patch.splice(index, 1);
  return knownDirective(item["$patch"], path);
}

function mergedList(
  target: unknown,
  patch: unknown,
  shape: MergeShape,
  path: readonly string[],
): unknown {
  if (patch === null) return undefined;
  const directive = Array.isArray(patch) ? takeListDirective(patch, path) : "merge";
  if (directive === "delete") return undefined;
  const before = isNothing(target) || directive === "replace" ? patch : target;
  const own = before as unknown[];
  const theirs = (patch ?? []) as unknown[];
  const keys = shape.mergeBy ?? [];
  return keys.length === 0
    ? [...new Set([...theirs, ...own])]
    : new KeyedList(keys, shape, path).merge(own, theirs);
}

/** The values of an item's keys; one that is missing is empty. */
type KeyValues = readonly string[];

/** Lists whose items are told apart by keys. */
class KeyedList {
  readonly #keys: readonly string[];
  readonly #shape: MergeShape;
  readonly #path: readonly string[];

  constructor(keys: readonly string[], shape: MergeShape, path: readonly string[]) {
    this.#keys = keys;
    this.#shape = shape;
    this.#path = path;
  }

  /** Merges two lists: the items of the patch come first, in its order. */
  merge(own: unknown[], theirs: readonly unknown[]): unknown[] {
    const all = this.#completed(this.#distinct([...theirs, ...own]));
    const keys = this.#usedKeys(all);
    let left = own;
    const result: JsonObject[] = [];
    for (const values of all) {
      const used = values.filter((value, index) => value !== "" || keys.has(index));
      const names = this.#keys.filter((_key, index) => keys.has(index));
      const isIt = (item: unknown): boolean =>
        isJsonObject(item) && names.every((key, index) => keyText(item, key) === used[index]);
      const before = left.find(isIt);
      const value = merged(before, theirs.find(isIt), itemShape(this.#shape), this.#path);
      if (!isJsonObject(value) || Object.keys(value).length === 0) {
        left = left.filter((item) => !isIt(item));
        continue;
      }
      for (const [index, key] of names.entries()) {
        const text = used[index] ?? "";
        if (value[key] === undefined && text !== "") setField(value, key, text);
      }
      // An item that was there keeps its place among the merged ones, and its content, even one to be replaced.
      const item = isJsonObject(before) ? before : value;
      const at = result.findIndex(isIt);
      if (at >= 0) result[at] = item;
      else result.push(item);
    }
    if (keys.size > 1) return this.#ownLast(result, left);
    return result;
  }

  /** With several keys, kustomize takes the object's own items out and appends them again. */
  #ownLast(result: readonly JsonObject[], own: readonly unknown[]): unknown[] {
    const first = result.filter((item) => !own.includes(item));
    return [...first, ...own];
  }

  #distinct(items: readonly unknown[]): KeyValues[] {
    const seen = new Map<string, KeyValues>();
    for (const item of items) {
      const values = this.#keys.map((key) => (isJsonObject(item) ? keyText(item, key) : ""));
      const text = JSON.stringify(values);
      if (!seen.has(text)) seen.set(text, values);
    }
    return [...seen.values()];
  }

  /** A missing key counts as that of an item that has the same others. */
  #completed(all: readonly KeyValues[]): KeyValues[] {
    if (this.#keys.length === 1) return [...all];
    const list = [...all];
    for (const one of list.keys()) {
      for (const other of list.keys()) {
        const both = unified(list[one] ?? [], list[other] ?? []);
        if (both) list[one] = list[other] = both;
      }
    }
    return list;
  }

  /** The keys that any item has; all of them when none has one. */
  #usedKeys(all: readonly KeyValues[]): ReadonlySet<number> {
    const every = [...this.#keys.keys()];
    const used = every.filter((index) => all.some((values) => (values[index] ?? "") !== ""));
    return new Set(used.length > 0 ? used : every);
  }
}

function unified(one: KeyValues, other: KeyValues): KeyValues | undefined {
  if (!one.some((value, index) => value === other[index])) return undefined;
  const both: string[] = [];
  for (const [index, value] of one.entries()) {
    const theirs = other[index] ?? "";
    if (value !== theirs && value !== "" && theirs !== "") return undefined;
    both.push(value === "" ? theirs : value);
  }
  return both;
}

function keyText(item: JsonObject, key: string): string {
  return scalarText(getField(item, key));
}
