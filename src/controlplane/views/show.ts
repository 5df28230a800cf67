/** Shows an object or a list as the client asked for it: as it is, as metadata, or as a Table. */
import { invalidValue } from "../../kube/field-errors.ts";
import type { KubeList, ListMeta, SentObject } from "../../kube/object.ts";
import { type StatusError, failure } from "../../kube/status.ts";
import { present } from "../../present.ts";
import type { TableColumn, TablePrinter, TableRowCondition } from "../kinds.ts";
import { notAcceptable } from "./accept.ts";
import type { View } from "./negotiate.ts";

/** The part of the object that a row of a Table contains. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** A `meta.k8s.io` Table. */
interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly TableColumn[] | null;
  readonly rows: readonly TableRow[] | null;
}

interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly TableRowCondition[];
  readonly object: SentObject | null;
}

interface TableOptions {
  readonly includeObject: IncludeObject;
  /** The printer of the kind; the table has no columns when absent. */
  readonly printer?: TablePrinter | undefined;
  /** Wall time in milliseconds, for ages. */
  readonly nowMs: number;
  /** Whether a Table carries its columns; `false` for the events of a watch after the first. */
  readonly withColumns?: boolean;
}

interface ShowOptions extends TableOptions {
  /** The negotiated form; absent when the object is shown as it is. */
  readonly view: View | undefined;
  /** The Go type of one object, for refusals: `core.Pod`. */
  readonly goType: string;
}

type Shown = SentObject | KubeList<SentObject>;

/** Kinds that can be read have a printer, and others are not shown as tables. */
const NO_COLUMNS: TablePrinter = { columns: [], cells: () => [] };

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/**
 * The object or list in the view that was negotiated. Not for a `Status`, which is always answered
 * as it is.
 *
 * @throws StatusError 406 when metadata of one object was requested for a list, or the other way
 *   round
 */
export function show(shown: Shown, { view, goType, ...options }: ShowOptions): object {
  if (!view) return shown;
  const { kind, version } = view;
  if (kind === "Table") return tableOf(shown, { version, ...options });
  const isList = "items" in shown;
  if (isList !== (kind === "PartialObjectMetadataList")) throw wrongPartial(isList, goType);
  if (!isList) return partialOf(shown, version);
  const items = shown.items.map((object) => partialOf(object, version));
  return {
    kind,
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMetaOf(shown),
    items: items.length === 0 ? null : items,
  };
}

/**
 * The Table of an object or of a list, in which `kubectl get` shows them.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
 */
export function tableOf(shown: Shown, options: TableOptions & Pick<View, "version">): Table {
  const { version, includeObject, printer = NO_COLUMNS, nowMs, withColumns = true } = options;
  const rowOf = (object: SentObject): TableRow => {
    const conditions = printer.conditions?.(object) ?? [];
    // The bookmark that ends the initial events is marked by an annotation.
    const isEnd = object.metadata.annotations?.[INITIAL_EVENTS_END] !== undefined;
    const part = includeObject === "Metadata" || isEnd ? partialOf(object, version) : null;
    return {
      cells: printer.cells(object, nowMs),
      ...(conditions.length > 0 ? { conditions } : {}),
      object: includeObject === "Object" ? object : part,
    };
  };
  const objects = "items" in shown ? shown.items : [shown];
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMetaOf(shown),
    columnDefinitions: withColumns ? printer.columns : null,
    rows: objects.length === 0 && printer.nullWhenEmpty ? null : objects.map(rowOf),
  };
}

/** What the metadata of a list says, without an empty `continue`; of one object, its version. */
function listMetaOf(shown: Shown): ListMeta {
  const page: ListMeta = "items" in shown ? shown.metadata : {};
  return present({
    resourceVersion: shown.metadata.resourceVersion,
    continue: page.continue || undefined,
    remainingItemCount: page.remainingItemCount,
  });
}

/** The object reduced to its metadata. */
const partialOf = ({ metadata }: SentObject, version: View["version"]): SentObject => ({
  kind: "PartialObjectMetadata",
  apiVersion: `meta.k8s.io/${version}`,
  metadata,
});

/**
 * The refusal of metadata of one object for a list, or of a list for one object; the latter is a
 * 500 for custom resources.
 */
function wrongPartial(isList: boolean, goType: string): StatusError {
  if (!isList && goType.startsWith("unstructured.")) {
    return failure(500, "", "content is not a list");
  }
  return notAcceptable(
    isList
      ? `you requested PartialObjectMetadata, but the requested object is a list (*${goType}List)`
      : `you requested PartialObjectMetadataList, but the requested object is not a list (*${goType})`,
  );
}

/**
 * The query parameter `includeObject`.
 *
 * @throws StatusError 400 for any other value than the three
 */
export function parseIncludeObject(value: string | null): IncludeObject {
  if (value === null || value === "") return "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  const rule = "must be 'Metadata', 'Object', 'None', or empty";
  const { field, message } = invalidValue("includeObject", value, rule);
  throw failure(400, "BadRequest", `Unable to convert to Table as requested: ${field}: ${message}`);
}
