/**
 * Empty lists of a new object. A server written in Go tells `rules: []` from `rules: null` until it stores the object,
 * so who sends the empty list owns it, although it comes back as null.
 *
 * @module
 */
import { copyJson, isJsonObject } from "../../kube/json.ts";
import type { KubeObject } from "../../kube/object.ts";

type Path = readonly (string | number)[];

/** Where empty lists stand in a value. */
export function emptyListsIn(value: unknown): Path[] {
  const found: Path[] = [];
  const search = (node: unknown, path: Path): void => {
    if (Array.isArray(node)) {
      if (node.length === 0) found.push(path);
      for (const [index, item] of node.entries()) {
        if (typeof item === "object") search(item, [...path, index]);
      }
    } else if (isJsonObject(node)) {
      for (const [name, field] of Object.entries(node)) {
        if (typeof field === "object") search(field, [...path, name]);
      }
    }
  };
  search(value, []);
  return found;
}

/** The object with an empty list again wherever null stands at one of the paths; a copy. */
export function withEmptyLists(object: KubeObject, paths: readonly Path[]): KubeObject {
  const copy = copyJson(object);
  for (const path of paths) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>(
        (node, step) => (node as Record<string | number, unknown> | null | undefined)?.[step],
        copy,
      );
    const name = path.at(-1);
    if (typeof name === "string" && isJsonObject(parent) && parent[name] === null) {
      parent[name] = [];
    }
  }
  return copy;
}
