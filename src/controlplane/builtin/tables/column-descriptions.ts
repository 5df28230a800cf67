/** The descriptions of the columns of built-in kinds. */
import type { TableColumn, TablePrinter } from "../../kinds.ts";
import { documentationOf } from "../documentation.ts";

/** Where the descriptions of a kind's columns come from. */
export interface ColumnDescriptions {
  /** By column: the API field that it shows, below `io.k8s.api`, whose description it has. */
  readonly columnFields?: Readonly<Record<string, string>>;
  /** By column: the description, where the column summarises more than one field. */
  readonly columnTexts?: Readonly<Record<string, string>>;
}

/** The texts of columns that are the same for every kind. */
const TEMPLATE_TEXTS: Readonly<Record<string, string>> = {
  Containers: "Names of each container in the template.",
  Images: "Images referenced by each container in the template.",
};

function descriptionOf(
  { columnFields, columnTexts }: ColumnDescriptions,
  column: TableColumn,
): string {
  const field = columnFields?.[column.name];
  if (field === undefined) {
    return columnTexts?.[column.name] ?? TEMPLATE_TEXTS[column.name] ?? column.description;
  }
  const dot = field.lastIndexOf(".");
  const text = documentationOf(`io.k8s.api.${field.slice(0, dot)}`, field.slice(dot + 1));
  return (text.split("\n\nPossible enum values:")[0] ?? "").trimEnd();
}

/** The printer of a kind with its columns described. */
export function described(descriptions: ColumnDescriptions, printer: TablePrinter): TablePrinter {
  return {
    ...printer,
    columns: printer.columns.map((column) => ({
      name: column.name,
      type: column.type,
      format: column.format,
      // Looked up when it is shown: most tables never need the texts.
      get description() {
        return descriptionOf(descriptions, column);
      },
      priority: column.priority,
    })),
  };
}
