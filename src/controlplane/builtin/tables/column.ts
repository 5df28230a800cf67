/**
 * The words in which printers are written: a table is a list of columns, a column knows its cell.
 *
 * @module
 */
import { asJson, asObject } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import type { TableColumn, TablePrinter, TableRowCondition } from "../../kinds.ts";
import { at, listAt, mapAt, textAt } from "../at.ts";
import { documentationOf } from "../documentation.ts";
import { convertVersion } from "../kind-versions.ts";
import { ageOf } from "./age.ts";

/** The value of a cell; `nowMs` is the wall time that ages are counted from. */
type Cell = (object: SentObject, nowMs: number) => unknown;

/** A column with its cell. */
export interface PrintedColumn {
  readonly column: TableColumn;
  readonly cell: Cell;
}

interface ColumnOptions {
  readonly type?: "string" | "integer" | "boolean" | "date";
  readonly format?: string;
  /** The field of an object's metadata that is shown; it describes the column. */
  readonly metadataField?: string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
}

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** A column; of strings unless said otherwise. */
export function column(name: string, cell: Cell, options: ColumnOptions = {}): PrintedColumn {
  const { type = "string", format = "", metadataField, wide = false } = options;
  const shown = {
    name,
    type,
    format,
    get description() {
      return metadataField === undefined ? "" : documentationOf(OBJECT_META, metadataField);
    },
    priority: wide ? 1 : 0,
  };
  return { column: shown, cell };
}

/** A column of what stands under `path`, as text. */
export const textColumn = (
  name: string,
  path: string,
  absent = "",
  options?: ColumnOptions,
): PrintedColumn => column(name, (object) => textAt(object, path, absent), options);

/** A column of how many entries `path` has. */
export const countColumn = (name: string, path: string, options?: ColumnOptions): PrintedColumn =>
  column(
    name,
    (object) => {
      const found = at(object, path);
      return Array.isArray(found) ? found.length : Object.keys(mapAt(object, path)).length;
    },
    { type: "integer", ...options },
  );

/** `-o wide` only. */
export const WIDE = { wide: true } as const;

/** A column of numbers. */
export const INTEGER = { type: "integer" } as const;

/** A column of truth values. */
export const BOOLEAN = { type: "boolean" } as const;

const NAME_OPTIONS = { format: "name", metadataField: "name" };

/** The object's name. */
export const nameColumn: PrintedColumn = textColumn("Name", "metadata.name", "", NAME_OPTIONS);

/** The name, with a mark when an annotation makes the object the default one. */
export const defaultNameColumn = (...annotations: readonly string[]): PrintedColumn =>
  column(
    "Name",
    ({ metadata }) =>
      annotations.some((key) => metadata.annotations?.[key] === "true")
        ? `${metadata.name ?? ""} (default)`
        : metadata.name,
    NAME_OPTIONS,
  );

/** How long ago the object was created. */
export const ageColumn: PrintedColumn = column(
  "Age",
  ({ metadata }, nowMs) => ageOf(metadata.creationTimestamp, nowMs),
  { metadataField: "creationTimestamp" },
);

/** Names and images of the containers under `path`, for `-o wide`. */
export const containerColumns = (
  path: string,
  options: ColumnOptions = WIDE,
): readonly PrintedColumn[] => [
  column("Containers", (object) => joined(listAt(object, path), "name"), options),
  column("Images", (object) => joined(listAt(object, path), "image"), options),
];

const joined = (items: readonly unknown[], path: string): string =>
  items.map((item) => textAt(item, path)).join(",");

/** The label selector under `path`, for `-o wide`. */
export const selectorColumn = (path: string): PrintedColumn =>
  column("Selector", (object) => formatLabelSelector(at(object, path)) || "<none>", WIDE);

/** The first condition of a type in an object's status. */
export const conditionOf = (object: SentObject, type: string): unknown =>
  listAt(object, "status.conditions").find((condition) => textAt(condition, "type") === type);

/** Puts columns together. */
export function printer(
  columns: readonly PrintedColumn[],
  extras: {
    readonly conditions?: (object: SentObject) => readonly TableRowCondition[];
    readonly nullWhenEmpty?: boolean;
    /** The API version that the cells read, when the kind is served in more than one. */
    readonly version?: string;
  } = {},
): TablePrinter {
  const { version, ...rest } = extras;
  const read = (object: SentObject): SentObject =>
    version === undefined ? object : asObject(convertVersion(asJson(object), version));
  return {
    columns: columns.map(({ column }) => column),
    cells: (object, nowMs) => {
      const shown = read(object);
      return columns.map(({ cell }) => cell(shown, nowMs));
    },
    ...rest,
  };
}

/** Labels as `a=1,b=2`, sorted; `<none>` when there are none. */
export function formatLabels(labels: Readonly<Record<string, unknown>>): string {
  const texts = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${String(labels[key])}`);
  return texts.length > 0 ? texts.join(",") : "<none>";
}

/** A label selector as text, requirements sorted by key: `app=x,!old,tier in (a,b)`. Empty when it selects all. */
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

/** The first three of a list, and how many more there are: `a,b,c + 2 more...`; `absent` when there is nothing to show. */
export function listWithMore(
  list: readonly string[],
  { absent = "", max = 3, separator = "," } = {},
): string {
  const text = list.slice(0, max).join(separator);
  if (list.length > max) return `${text} + ${list.length - max} more...`;
  return text === "" ? absent : text;
}
