/**
 * Objects as a Table: the form in which `kubectl get` shows them.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
 */
import { invalidValue } from "../../kube/field-errors.ts";
import type { KubeList, SentObject, ListMeta } from "../../kube/object.ts";
import { failure } from "../../kube/status.ts";
import type { TableColumn, TablePrinter, TableRowCondition } from "../kinds.ts";
import { type PartialObjectMetadata, partialOf } from "./partial.ts";
import { present } from "../../present.ts";

/** The part of the object that a row contains. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** A `meta.k8s.io` Table. */
export interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly TableColumn[] | null;
  readonly rows: readonly TableRow[] | null;
}

interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly TableRowCondition[];
  readonly object: SentObject | PartialObjectMetadata | null;
}

/** Options for making a Table. */
export interface TableOptions {
  readonly version: "v1" | "v1beta1";
  readonly includeObject: IncludeObject;
  /** The printer of the kind; the table has no columns when absent. */
  readonly printer?: TablePrinter | undefined;
  /** Wall time in milliseconds, for ages. */
  readonly nowMs: number;
  /** Whether the Table carries its columns; `false` for the events of a watch after the first. */
  readonly withColumns?: boolean;
}

/** Kinds that can be read have a printer, and others are not shown as tables. */
const NO_COLUMNS: TablePrinter = { columns: [], cells: () => [] };

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/**
 * The Table of an object or of a list.
 *
 * @param shown - an object, or a list, which has `items`
 */
export function tableOf(shown: SentObject | KubeList<SentObject>, options: TableOptions): Table {
  const { version, printer: table = NO_COLUMNS, withColumns = true } = options;
  const objects = "items" in shown ? shown.items : [shown];
  const { resourceVersion, ...page } = shown.metadata as ListMeta;
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: {
      ...present({ resourceVersion }),
      ...("items" in shown ? pageOf(page) : {}),
    },
    columnDefinitions: withColumns ? table.columns : null,
    rows:
      objects.length === 0 && table.nullWhenEmpty
        ? null
        : objects.map((object) => rowOf(object, table, options)),
  };
}

/** The metadata of a list, without an empty `continue`. */
function pageOf(page: ListMeta): ListMeta {
  const { continue: next, remainingItemCount } = page;
  return {
    ...(next ? { continue: next } : {}),
    ...present({ remainingItemCount }),
  };
}

function rowOf(object: SentObject, table: TablePrinter, options: TableOptions): TableRow {
  const conditions = table.conditions?.(object) ?? [];
  return {
    cells: table.cells(object, options.nowMs),
    ...(conditions.length > 0 ? { conditions } : {}),
    object: included(object, options),
  };
}

function included(object: SentObject, options: TableOptions): TableRow["object"] {
  if (options.includeObject === "Object") return object;
  // The bookmark that ends the initial events is marked by an annotation.
  const isEnd = object.metadata.annotations?.[INITIAL_EVENTS_END] !== undefined;
  return options.includeObject === "Metadata" || isEnd ? partialOf(object, options.version) : null;
}

/**
 * The query parameter `includeObject`.
 *
 * @throws StatusError 400 for any other value than the three
 */
export function parseIncludeObject(value: string | null | undefined): IncludeObject {
  if (value === null || value === undefined || value === "") return "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  const { field, message } = invalidValue(
    "includeObject",
    value,
    "must be 'Metadata', 'Object', 'None', or empty",
  );
  throw failure(400, "BadRequest", `Unable to convert to Table as requested: ${field}: ${message}`);
}
