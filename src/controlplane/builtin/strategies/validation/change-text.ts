/**
 * Says what changed where nothing may change.
 *
 * The real server appends a diff of its internal structs; this is one line for each changed field.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "../../../../kube/json.ts";

/** Lines such as `- hostname: "a"` and `+ hostname: "b"`, each beginning with a line break. */
export function describeChange(now: unknown, old: unknown): string {
  return changes("", now, old)
    .map(([path, after, before]) => `\n- ${path}: ${text(before)}\n+ ${path}: ${text(after)}`)
    .join("");
}

const text = (value: unknown): string => (value === undefined ? "nil" : JSON.stringify(value));

function changes(path: string, now: unknown, old: unknown): [string, unknown, unknown][] {
  if (isDeepStrictEqual(now, old)) return [];
  if (Array.isArray(now) && Array.isArray(old) && now.length === old.length) {
    return now.flatMap((item, index) => changes(`${path}[${index}]`, item, old[index]));
  }
  if (!isJsonObject(now) || !isJsonObject(old)) return [[path, now, old]];
  const names = new Set([...Object.keys(now), ...Object.keys(old)]);
  return [...names].flatMap((name) =>
    changes(path === "" ? name : `${path}.${name}`, now[name], old[name]),
  );
}
