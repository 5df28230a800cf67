/**
 * Custom resources as a table: the columns of their definition.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#additional-printer-columns
 */
import type { SentObject } from "../../kube/object.ts";
import { formatNumber, isNumeric } from "../../kube/text/go-number.ts";
import { encodeJson } from "../../kube/json.ts";
import { sortedKeys } from "../../kube/schema/sorted-keys.ts";
import type { TableColumn, TablePrinter } from "../kinds.ts";
import { humanDuration } from "../../kube/values/age.ts";
import { columnsOf } from "../builtin/printer-of.ts";
import type { DefinitionColumn } from "../../kube/definition/definition.ts";
import { type JsonPath, parseJsonPath } from "../../kube/json-path.ts";

interface PathColumn {
  readonly column: TableColumn;
  readonly path: JsonPath;
}

const AGE: DefinitionColumn = {
  name: "Age",
  type: "date",
  get description() {
    return columnsOf("")[1]?.description ?? "";
  },
  jsonPath: ".metadata.creationTimestamp",
};

/** The table of a version with those columns; Name comes first, and Age is the default. */
export function columnPrinter(columns: readonly DefinitionColumn[]): TablePrinter {
  const custom: PathColumn[] = [];
  for (const definition of columns.length > 0 ? columns : [AGE]) {
    try {
      custom.push(pathColumn(definition));
    } catch {
      // As in Kubernetes: the table ends before the first path that cannot be read.
      break;
    }
  }
  return {
    get columns() {
      return [...columnsOf("").slice(0, 1), ...custom.map(({ column }) => column)];
    },
    cells: (object, nowMs) => [
      object.metadata.name ?? "",
      ...custom.map(({ column, path }) => cellOf(column.type, path, object, nowMs)),
    ],
  };
}

/** The table of the `Scale` of custom resources. */
export const scalePrinter: TablePrinter = columnPrinter([
  {
    name: "Desired",
    type: "integer",
    description: "Number of desired replicas",
    jsonPath: ".spec.replicas",
  },
  {
    name: "Available",
    type: "integer",
    description: "Number of actual replicas",
    jsonPath: ".status.replicas",
  },
  AGE,
]);

function pathColumn(column: DefinitionColumn): PathColumn {
  const { name = "", type = "", format = "", priority = 0, jsonPath = "" } = column;
  return {
    column: {
      name,
      type,
      format,
      get description() {
        return (
          column.description ||
          `Custom resource definition column (in JSONPath format): ${jsonPath}`
        );
      },
      priority,
    },
    path: parseJsonPath(jsonPath),
  };
}

function cellOf(type: string, path: JsonPath, object: SentObject, nowMs: number): unknown {
  let value: unknown;
  try {
    [value] = path.find(object);
  } catch {
    // Data that does not fit the path is an empty cell.
    return null;
  }
  if (value === undefined) return null;
  if (type === "string") return textOf(value);
  if (value === null) return null;
  switch (type) {
    case "integer":
      if (typeof value === "bigint") return value;
      return typeof value === "number" ? toInt64(value) : null;
    case "number":
      return isNumeric(value) ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateOf(value, nowMs) : null;
    default:
      return null;
  }
}

/** A number as Go's int64: one that does not fit becomes the smallest. */
function toInt64(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(whole) < 2 ** 63 ? whole : -(2 ** 63);
}

function textOf(value: unknown): string {
  if (value === null) return "<no value>";
  if (typeof value === "object") return encodeJson(sortedKeys(value));
  if (isNumeric(value)) return formatNumber(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function dateOf(value: string, nowMs: number): string {
  if (value === "" || value === "null") return "<unknown>";
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([.,]\d+)?(Z|[+-]\d{2}:\d{2})$/.test(value);
  const then = isTime ? Date.parse(value.replace(",", ".")) : Number.NaN;
  return Number.isNaN(then) ? "<invalid>" : humanDuration(nowMs - then);
}
