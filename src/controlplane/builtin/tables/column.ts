/** The building blocks of printers: a table is a list of columns, a column computes its cell. */
import { asJson, asObject } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import type { TableColumn, TablePrinter, TableRowCondition } from "../../kinds.ts";
import { at, listAt, mapAt, textAt } from "../at.ts";
import { documentationOf } from "../documentation.ts";
import { convertVersion } from "../kind-versions.ts";
import { ageOf } from "../../../kube/values/age.ts";

/** Computes the value of a cell; `nowMs` is the wall time from which ages are counted. */
type Cell = (object: SentObject, nowMs: number) => unknown;

/** A column with its cell. */
export interface PrintedColumn {
  readonly column: TableColumn;
  readonly cell: Cell;
}

interface ColumnOptions {
  readonly type?: "string" | "integer" | "boolean" | "date";
  readonly format?: string;
  /** The metadata field that is shown, whose description is that of the column. */
  readonly metadataField?: string;
  /** Whether the column is shown with `-o wide` only. */
  readonly wide?: boolean;
}

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** A column, of strings by default. */
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

/** A column of the value at `path`, as text. */
export const textColumn = (
  name: string,
  path: string,
  absent = "",
  options?: ColumnOptions,
): PrintedColumn => column(name, (object) => textAt(object, path, absent), options);

/** A column of the number of entries at `path`. */
export const countColumn = (name: string, path: string, options?: ColumnOptions): PrintedColumn =>
  column(
    name,
    (object) => {
      const found = at(object, path);
      return Array.isArray(found) ? found.length : Object.keys(mapAt(object, path)).length;
    },
    { type: "integer", ...options },
  );

/** Options of a column for `-o wide` only. */
export const WIDE = { wide: true } as const;

/** Options of a column of numbers. */
export const INTEGER = { type: "integer" } as const;

/** Options of a column of booleans. */
export const BOOLEAN = { type: "boolean" } as const;

const NAME_OPTIONS = { format: "name", metadataField: "name" };

/** The column of the object's name. */
export const nameColumn: PrintedColumn = textColumn("Name", "metadata.name", "", NAME_OPTIONS);

/** The column of the name, with a mark when an annotation makes the object the default one. */
export const defaultNameColumn = (...annotations: readonly string[]): PrintedColumn =>
  column(
    "Name",
    ({ metadata }) =>
      annotations.some((key) => metadata.annotations?.[key] === "true")
        ? `${metadata.name ?? ""} (default)`
        : metadata.name,
    NAME_OPTIONS,
  );

/** The column of the object's age. */
export const ageColumn: PrintedColumn = column(
  "Age",
  ({ metadata }, nowMs) => ageOf(metadata.creationTimestamp, nowMs),
  { metadataField: "creationTimestamp" },
);

/** The column of the time when the object was created. */
export const createdAtColumn: PrintedColumn = column(
  "Created At",
  ({ metadata }) => metadata.creationTimestamp ?? null,
  { type: "date", metadataField: "creationTimestamp" },
);

/** The columns of names and images of the containers at `path`, for `-o wide`. */
export const containerColumns = (
  path: string,
  options: ColumnOptions = WIDE,
): readonly PrintedColumn[] => [
  column("Containers", (object) => joined(listAt(object, path), "name"), options),
  column("Images", (object) => joined(listAt(object, path), "image"), options),
];

const joined = (items: readonly unknown[], path: string): string =>
  items.map((item) => textAt(item, path)).join(",");

/** The column of the label selector at `path`, for `-o wide`. */
export const selectorColumn = (path: string): PrintedColumn =>
  column("Selector", (object) => formatLabelSelector(at(object, path)) || "<none>", WIDE);

/** The first condition of a type in an object's status. */
export const conditionOf = (object: SentObject, type: string): unknown =>
  listAt(object, "status.conditions").find((condition) => textAt(condition, "type") === type);

/** Makes a printer of columns. */
export function printer(
  columns: readonly PrintedColumn[],
  extras: {
    readonly conditions?: (object: SentObject) => readonly TableRowCondition[];
    readonly nullWhenEmpty?: boolean;
    /** The API version that the cells read, when the kind is served in several. */
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
