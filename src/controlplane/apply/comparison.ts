/** The difference between two states of an object, as sets of fields. */
import { getField, isJsonObject, sameJson } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { type Misfit, scalarMisfit } from "./conformity.ts";
import { FieldSet } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";
import {
  type Form,
  type NodeType,
  fieldOf,
  formOf,
  isAtomicMap,
  itemElement,
  itemType,
  listKeys,
} from "./topology.ts";

/**
 * The difference of two values. No field is in two of the sets; containers that are added or
 * removed as a whole are included.
 */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** The difference that turns `left` into `right`, or the misfits that prevent a comparison. */
export function compareObjects(
  type: NodeType,
  left: unknown,
  right: unknown,
): Comparison | { readonly misfits: readonly Misfit[] } {
  const walk = new CompareWalk();
  walk.compare(type, left, right);
  const { misfits, removed, modified, added } = walk;
  return misfits.length > 0 ? { misfits } : { removed, modified, added };
}

const NO_ITEMS: readonly unknown[] = [];
const NO_GROUPS: ReadonlyMap<PathElement, unknown[]> = new Map();

const isEmptyMap = (map: JsonObject | undefined): boolean => !map || Object.keys(map).length === 0;

class CompareWalk {
  readonly removed = new FieldSet();
  readonly modified = new FieldSet();
  readonly added = new FieldSet();
  readonly misfits: Misfit[] = [];
  readonly #path: PathElement[] = [];

  /** Compares two values; `undefined` stands for a side that lacks the value. */
  compare(type: NodeType, left: unknown, right: unknown): void {
    if (left === right) return;
    const leftForm = formOf(type, left);
    const rightForm = formOf(type, right);
    let isLeaf: boolean;
    if (right === undefined) isLeaf = this.#walk(leftForm, type, left, right);
    else if (left === undefined || leftForm === rightForm) {
      isLeaf = this.#walk(rightForm, type, left, right);
    } else {
      this.#walk(leftForm, type, left, right);
      isLeaf = this.#walk(rightForm, type, left, right);
    }
    if (isLeaf) return;
    if (left === undefined) this.added.insert(this.#path);
    else if (right === undefined) this.removed.insert(this.#path);
  }

  /** Compares two values of a form; returns whether they were compared as one leaf. */
  #walk(form: Form, type: NodeType, left: unknown, right: unknown): boolean {
    switch (form) {
      case "scalar":
        return this.#compareScalars(type, left, right);
      case "map":
        return this.#compareMaps(type, left, right);
      case "list":
        return this.#compareLists(type, left, right);
    }
  }

  #compareLeaf(left: unknown, right: unknown): true {
    if (left === undefined) this.added.insert(this.#path);
    else if (right === undefined) this.removed.insert(this.#path);
    else if (!sameJson(left, right)) this.modified.insert(this.#path);
    return true;
  }

  #compareScalars(type: NodeType, left: unknown, right: unknown): boolean {
    const wrongLeft = scalarMisfit(type.schema, left, "lhs: ");
    const wrongRight = scalarMisfit(type.schema, right, "rhs: ");
    if (wrongLeft && wrongRight) {
      this.misfits.push(wrongLeft, wrongRight);
      return false;
    }
    return this.#compareLeaf(left, right);
  }

  #compareMaps(type: NodeType, left: unknown, right: unknown): boolean {
    const leftMap = isJsonObject(left) ? left : undefined;
    const rightMap = isJsonObject(right) ? right : undefined;
    // The comparison as a leaf distinguishes null from empty.
    if (isAtomicMap(type) || (isEmptyMap(leftMap) && isEmptyMap(rightMap))) {
      return this.#compareLeaf(left, right);
    }
    if (leftMap) {
      for (const key of Object.keys(leftMap)) {
        this.#compareField(type, key, leftMap[key], rightMap && getField(rightMap, key));
      }
    }
    if (rightMap) {
      for (const key of Object.keys(rightMap)) {
        if (leftMap && Object.hasOwn(leftMap, key)) continue;
        this.#compareField(type, key, undefined, rightMap[key]);
      }
    }
    return false;
  }

  #compareField(type: NodeType, key: string, left: unknown, right: unknown): void {
    if (left === right) return;
    const field = fieldOf(type, key);
    if (!field) {
      this.misfits.push({ path: `.${key}`, message: "field not declared in schema" });
      return;
    }
    this.#path.push(field.element);
    this.compare(field.type, left, right);
    this.#path.pop();
  }

  #compareLists(type: NodeType, left: unknown, right: unknown): boolean {
    const leftList = Array.isArray(left) ? (left as unknown[]) : [];
    const rightList = Array.isArray(right) ? (right as unknown[]) : [];
    const keys = listKeys(type);
    if (!keys || (leftList.length === 0 && rightList.length === 0)) {
      return this.#compareLeaf(left, right);
    }
    const leftItems = this.#groupItems(type, keys, leftList);
    const rightItems = this.#groupItems(type, keys, rightList);
    const items = itemType(type);
    for (const [element, group] of leftItems) {
      this.#path.push(element);
      this.#compareItems(items, group, rightItems.get(element) ?? NO_ITEMS);
      this.#path.pop();
    }
    for (const [element, group] of rightItems) {
      if (leftItems.has(element)) continue;
      this.#path.push(element);
      this.#compareItems(items, NO_ITEMS, group);
      this.#path.pop();
    }
    return false;
  }

  #groupItems(
    type: NodeType,
    keys: readonly string[],
    list: readonly unknown[],
  ): ReadonlyMap<PathElement, unknown[]> {
    if (list.length === 0) return NO_GROUPS;
    const groups = new Map<PathElement, unknown[]>();
    for (let index = 0; index < list.length; index++) {
      const item = list[index];
      const known = itemElement(type, keys, item);
      if ("mistake" in known) {
        this.misfits.push({ path: "", message: `element ${index}: ${known.mistake}` });
        continue;
      }
      const group = groups.get(known.element);
      if (group) group.push(item);
      else groups.set(known.element, [item]);
    }
    return groups;
  }

  /** Compares the items of one key. Duplicate items count as one leaf. */
  #compareItems(items: NodeType, left: readonly unknown[], right: readonly unknown[]): void {
    if (left.length <= 1 && right.length <= 1) {
      this.compare(items, left[0], right[0]);
    } else if (left.length >= 2 && right.length >= 2) {
      if (!sameJson(left, right)) this.modified.insert(this.#path);
    } else if (left.length >= 2) {
      if (right.length > 0) this.compare(items, undefined, right[0]);
      this.removed.insert(this.#path);
    } else {
      if (left.length > 0) this.compare(items, left[0], undefined);
      this.added.insert(this.#path);
    }
  }
}
