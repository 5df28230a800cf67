/** The cells of tables, by the name of their column, and the building blocks of them. */
import type { SentObject } from "../../../kube/object.ts";
import { ageOf } from "../../../kube/values/age.ts";
import { at, listAt, mapAt, textAt, textOf } from "../at.ts";

/** Computes the value of a cell; `nowMs` is the wall time from which ages are counted. */
type CellReader = (object: SentObject, nowMs: number) => unknown;

/**
 * What a cell shows: the field at a path, what is computed, or the field with what stands for an
 * absent one, which also says how it is read: as a number, a flag or a text. Where nothing is said,
 * the type of the column says it. Lists and maps are counted, or joined by commas.
 */
type Cell = string | readonly [path: string, absent: string | number | boolean] | CellReader;

/** The cells of a kind; that of `""` has no column, and comes last. */
export type Cells = Readonly<Record<string, Cell>>;

/** A cell that shows for how long a time has passed; `absent` when there is none. */
export const ageCell =
  (path: string, absent = "<unknown>"): CellReader =>
  (object, nowMs) => {
    const time = at(object, path);
    return time === undefined ? absent : ageOf(time, nowMs);
  };

/** The cells of names and images of the containers at `path`. */
export const containerCells = (path: string): Cells => ({
  Containers: (object) => joined(listAt(object, path), "name"),
  Images: (object) => joined(listAt(object, path), "image"),
});

export const COMMON_CELLS: Cells = {
  Name: "metadata.name",
  Age: ageCell("metadata.creationTimestamp"),
  "Created At": ({ metadata }) => metadata.creationTimestamp ?? null,
  ...containerCells("spec.template.spec.containers"),
};

/** Makes the reader of a cell in a column of that type. */
export function cellReader(cell: Cell, type: string): CellReader {
  if (typeof cell === "function") return cell;
  const zero = type === "integer" ? 0 : type === "boolean" ? false : "";
  const [path, absent] = typeof cell === "string" ? [cell, zero] : cell;
  return (object) => {
    const found = at(object, path);
    if (typeof absent === "string") {
      return (Array.isArray(found) ? found.map(String).join(",") : textOf(found)) || absent;
    }
    if (typeof absent === "number" && typeof found === "object" && found !== null) {
      return Object.keys(found).length;
    }
    return typeof found === typeof absent ? found : absent;
  };
}

const joined = (items: readonly unknown[], path: string): string =>
  items.map((item) => textAt(item, path)).join(",");

/** The cell of the name, with a mark when an annotation makes the object the default one. */
export const defaultNameCell =
  (...annotations: readonly string[]): CellReader =>
  ({ metadata }) =>
    annotations.some((key) => metadata.annotations?.[key] === "true")
      ? `${metadata.name ?? ""} (default)`
      : metadata.name;

/** A cell with the labels at `path`: `a=1,b=2`, sorted; `<none>` when there are none. */
export const labelsCell =
  (path: string): CellReader =>
  (object) =>
    Object.entries(mapAt(object, path))
      .map(([key, value]) => `${key}=${String(value)}`)
      .sort()
      .join(",") || "<none>";

/** A cell with the label selector at `path`; `absent` when it selects everything. */
export const selectorCell =
  (path: string, absent = "<none>"): CellReader =>
  (object) =>
    formatLabelSelector(at(object, path)) || absent;

/** The first condition of a type in an object's status. */
export const conditionOf = (object: SentObject, type: string): unknown =>
  listAt(object, "status.conditions").find((condition) => textAt(condition, "type") === type);

/**
 * A label selector as text, requirements sorted by key: `app=x,!old,tier in (a,b)`. Empty when it
 * selects everything.
 */
export function formatLabelSelector(selector: unknown): string {
  const equal = Object.entries(mapAt(selector, "matchLabels")).map(([key, value]) => ({
    key,
    text: `${key}=${String(value)}`,
  }));
  const expressions = listAt(selector, "matchExpressions").map((expression) => {
    const key = textAt(expression, "key");
    const values = listAt(expression, "values").map(String).sort().join(",");
    switch (textAt(expression, "operator")) {
      case "In":
        return { key, text: `${key} in (${values})` };
      case "NotIn":
        return { key, text: `${key} notin (${values})` };
      case "DoesNotExist":
        return { key, text: `!${key}` };
      default:
        return { key, text: key };
    }
  });
  return [...equal, ...expressions]
    .sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
    .map(({ text }) => text)
    .join(",");
}

/**
 * The first three items of a list and the number of the others: `a,b,c + 2 more...`; `absent` for
 * an empty list.
 */
export function listWithMore(
  list: readonly string[],
  { absent = "", max = 3, separator = "," } = {},
): string {
  const text = list.slice(0, max).join(separator);
  if (list.length > max) return `${text} + ${list.length - max} more...`;
  return text === "" ? absent : text;
}
