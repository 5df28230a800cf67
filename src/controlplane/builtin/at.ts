/**
 * Reads fields of objects whose shape has not been checked. A path is written with dots:
 * `spec.nodeName`.
 */

/** The value at `path`; `undefined` when a step is missing. */
export function at(value: unknown, path: string): unknown {
  let current = value;
  for (const step of path.split(".")) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<string, unknown>)[step];
  }
  return current;
}

/** A scalar as text; `absent` for any other value, or an empty text. */
export function textOf(value: unknown, absent = ""): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : absent;
}

/** The scalar at `path` as text; `absent` when there is none, or an empty text. */
export function textAt(value: unknown, path: string, absent = ""): string {
  return textOf(at(value, path), absent);
}

/** The number at `path`; `absent` when there is none. */
export function numberAt(value: unknown, path: string, absent = 0): number {
  const found = at(value, path);
  return typeof found === "number" ? found : absent;
}

/** The list at `path`; empty when there is none. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}

/** The map at `path`; empty when there is none. */
export function mapAt(value: unknown, path: string): Readonly<Record<string, unknown>> {
  const found = at(value, path);
  return typeof found === "object" && found !== null && !Array.isArray(found)
    ? (found as Record<string, unknown>)
    : {};
}
