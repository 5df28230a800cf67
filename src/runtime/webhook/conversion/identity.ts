/** Identifies JSON values by short texts, so that a difference need not hold them. */
import { createHash } from "node:crypto";
import { getField, encodeJson, isJsonObject, setField } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";

/** Longer texts are replaced by their hash. */
const MAX_TEXT = 32;
const HASH_CHARACTERS = 16;

/** The JSON of a short value, `#` and a hash for a long one; the order of keys does not matter. */
export function identityOf(value: unknown): string {
  const text = encodeJson(withSortedKeys(value));
  if (text.length <= MAX_TEXT) return text;
  const hash = createHash("sha256").update(text).digest("base64");
  return `#${hash.slice(0, HASH_CHARACTERS)}`;
}

/** A copy whose objects have their keys in a fixed order, at any depth. */
function withSortedKeys(root: unknown): unknown {
  const open: [from: object, copy: unknown[] | JsonObject][] = [];
  const copyOf = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const copy: unknown[] | JsonObject = Array.isArray(value) ? [] : {};
    open.push([value, copy]);
    return copy;
  };
  const result = copyOf(root);
  for (let next = open.pop(); next; next = open.pop()) {
    const [from, copy] = next;
    if (Array.isArray(copy)) for (const item of from as unknown[]) copy.push(copyOf(item));
    else {
      for (const key of Object.keys(from).sort()) {
        setField(copy, key, copyOf((from as JsonObject)[key]));
      }
    }
  }
  return result;
}

/** The name of a list's element: its `name` or its `key`, as in Kubernetes' lists. */
export function nameOfElement(element: unknown): string | undefined {
  if (!isJsonObject(element)) return undefined;
  for (const field of ["name", "key"]) {
    const name = getField(element, field);
    if (typeof name === "string") return name;
  }
  return undefined;
}

/** The identity of a list's element: its name, or its whole value. */
export function elementIdentity(element: unknown): string {
  const name = nameOfElement(element);
  return name === undefined ? identityOf(element) : `name ${name}`;
}
