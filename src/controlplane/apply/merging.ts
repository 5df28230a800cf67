/**
 * Merges an object with a configuration: maps by key, list maps and sets by item, everything else
 * replaced.
 */
import { getField, isJsonObject, setField } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { type Misfit, scalarMisfit } from "./conformity.ts";
import { type PathElement, printElement } from "./path-element.ts";
import {
  type NodeType,
  fieldType,
  formOf,
  isAtomicMap,
  itemElement,
  itemType,
  listKeys,
} from "./topology.ts";

/** The merged value, or the misfits that prevent a merge. It may share parts with either input. */
export function mergeObjects(
  type: NodeType,
  left: unknown,
  right: unknown,
): { readonly merged: unknown } | { readonly misfits: readonly Misfit[] } {
  const walk = new MergeWalk();
  const merged = walk.merge(type, left, right);
  return walk.misfits.length > 0 ? { misfits: walk.misfits } : { merged };
}

interface IndexedList {
  readonly elements: readonly PathElement[];
  /** The item of each element; null for a duplicate, which is not merged. */
  readonly items: ReadonlyMap<PathElement, unknown>;
}

class MergeWalk {
  readonly misfits: Misfit[] = [];

  /**
   * Merges two values; `undefined` stands for a side that lacks the value, and for an empty result.
   */
  merge(type: NodeType, left: unknown, right: unknown): unknown {
    switch (formOf(type, right === undefined ? left : right)) {
      case "scalar":
        return this.#mergeScalars(type, left, right);
      case "map":
        return this.#mergeMaps(type, left, right);
      case "list":
        return this.#mergeLists(type, left, right);
    }
  }

  #mergeScalars(type: NodeType, left: unknown, right: unknown): unknown {
    const wrongLeft = scalarMisfit(type.schema, left, "lhs: ");
    const wrongRight = scalarMisfit(type.schema, right, "rhs: ");
    if (wrongLeft && wrongRight) this.misfits.push(wrongLeft, wrongRight);
    return right === undefined ? left : right;
  }

  #mergeMaps(type: NodeType, left: unknown, right: unknown): unknown {
    const leftMap = isJsonObject(left) ? left : {};
    const rightMap = isJsonObject(right) ? right : {};
    const leftKeys = Object.keys(leftMap);
    const rightKeys = Object.keys(rightMap);
    if (isAtomicMap(type) || (leftKeys.length === 0 && rightKeys.length === 0)) {
      return right === undefined ? left : right;
    }
    const merged: JsonObject = {};
    for (const key of new Set([...leftKeys, ...rightKeys])) {
      const child = fieldType(type, key);
      if (!child) {
        this.misfits.push({ path: `.${key}`, message: "field not declared in schema" });
        continue;
      }
      const value = this.merge(child, getField(leftMap, key), getField(rightMap, key));
      if (value !== undefined) setField(merged, key, value);
    }
    return Object.keys(merged).length > 0 ? merged : undefined;
  }

  #mergeLists(type: NodeType, left: unknown, right: unknown): unknown {
    const leftList = Array.isArray(left) ? (left as unknown[]) : [];
    const rightList = Array.isArray(right) ? (right as unknown[]) : [];
    const keys = listKeys(type);
    if (!keys || (leftList.length === 0 && rightList.length === 0)) {
      return right === undefined ? left : right;
    }
    const rightIndex = this.#index(type, keys, rightList, false);
    const leftIndex = this.#index(type, keys, leftList, true);
    if (this.misfits.length > 0) return undefined;
    const items = itemType(type);
    const merged = mergeOrder(leftIndex, rightIndex)
      .map(({ element, at }) =>
        at === undefined
          ? this.merge(items, leftIndex.items.get(element), rightIndex.items.get(element))
          : leftList[at],
      )
      .filter((item) => item !== undefined);
    return merged.length > 0 ? merged : undefined;
  }

  #index(
    type: NodeType,
    keys: readonly string[],
    list: readonly unknown[],
    allowDuplicates: boolean,
  ): IndexedList {
    const elements: PathElement[] = [];
    const items = new Map<PathElement, unknown>();
    for (const [index, item] of list.entries()) {
      const known = itemElement(type, keys, item);
      if ("mistake" in known) {
        this.misfits.push({ path: "", message: `element ${index}: ${known.mistake}` });
        continue;
      }
      const { element } = known;
      const isDuplicate = items.has(element);
      if (isDuplicate && !allowDuplicates) {
        const printed = printElement(element);
        this.misfits.push({ path: "", message: `duplicate entries for key ${printed}` });
        continue;
      }
      items.set(element, isDuplicate ? null : item);
      elements.push(element);
    }
    return { elements, items };
  }
}

/** An item of the merged list: merged from both sides, or the left one at an index, unchanged. */
interface MergedItem {
  readonly element: PathElement;
  readonly at?: number;
}

/**
 * The order of a merged list: the right side's items keep their order, the left's stay near their
 * neighbours.
 */
function mergeOrder(left: IndexedList, right: IndexedList): MergedItem[] {
  const order: MergedItem[] = [];
  const placed = new Set<PathElement>();
  const shared = right.elements.filter((element) => left.items.has(element));
  let nextShared = shared.shift();
  const place = (element: PathElement): void => {
    placed.add(element);
    order.push({ element });
  };
  for (let at = 0, to = 0; at < left.elements.length || to < right.elements.length;) {
    const mine = left.elements[at];
    const theirs = right.elements[to];
    if (mine !== undefined && theirs !== undefined) {
      if (mine === theirs) {
        place(mine);
        at++;
        to++;
        nextShared = shared.shift();
        continue;
      }
      if (right.items.has(mine) && nextShared !== undefined && nextShared !== mine) {
        // A shared item that comes out of turn.
        at++;
        continue;
      }
    }
    if (mine !== undefined) {
      if (!right.items.has(mine)) {
        order.push({ element: mine, at: at++ });
        continue;
      }
      if (placed.has(mine)) at++;
    }
    if (theirs !== undefined) {
      place(theirs);
      to++;
      if (nextShared === theirs) nextShared = shared.shift();
    }
  }
  return order;
}
