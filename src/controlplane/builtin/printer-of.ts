/**
 * Printers of the built-in kinds: columns from a table that `scripts/make/kubernetes/columns.mjs` makes,
 * loaded on first use, and cells from the rules of a kind.
 */
import { asJson, asObject } from "../../kube/json.ts";
import type { SentObject } from "../../kube/object.ts";
import type { TableColumn, TablePrinter } from "../kinds.ts";
import { LineTable } from "../line-table.ts";
import { rulesOf } from "./kinds/kind-table.ts";
import { convertVersion, hubOf } from "./kind-versions.ts";
import type { KindRules } from "./kind-rules.ts";
import { COMMON_CELLS, cellReader } from "./tables/cells.ts";

type Row = readonly [
  name: string,
  type: string,
  format: string,
  priority: number,
  description: string,
];

const tables: LineTable<readonly TableColumn[]> = new LineTable(
  new URL("./tables/columns.data.json", import.meta.url),
  (text) =>
    (JSON.parse(text) as Row[]).map(([name, type, format, priority, description]) => ({
      name,
      type,
      format,
      description: description.startsWith(".") ? metadataText(description) : description,
      priority,
    })),
);

const metadataText = (field: string): string =>
  JSON.parse(tables.texts.get(field) ?? '""') as string;

/** The columns of a kind (`apps/Deployment`); those of kinds without any of their own are `""`. */
export function columnsOf(kind: string): readonly TableColumn[] {
  return tables.get(kind) ?? [];
}

/** The printer of a kind with those columns and rules. */
function tablePrinter(kind: string, rules: KindRules): TablePrinter {
  const cells = { ...COMMON_CELLS, ...rules.table };
  let readers: ReturnType<typeof cellReader>[] | undefined;
  const hub = hubOf(kind.slice(kind.indexOf("/") + 1));
  const read = (object: SentObject): SentObject =>
    hub === undefined ? object : asObject(convertVersion(asJson(object), hub));
  return {
    get columns() {
      return columnsOf(kind);
    },
    cells(object, nowMs) {
      readers ??= [...columnsOf(kind), ...("" in cells ? [{ name: "", type: "string" }] : [])].map(
        ({ name, type }) => cellReader(cells[name] ?? "", type),
      );
      const shown = read(object);
      return readers.map((reader) => reader(shown, nowMs));
    },
    ...rules.printer,
  };
}

/**
 * The printer of a built-in kind, including `autoscaling` `Scale`: its own, or one that shows name
 * and creation time.
 */
export function printerOf(group: string, kind: string): TablePrinter {
  const rules = rulesOf(group, kind);
  return rules?.table
    ? tablePrinter(`${group}/${kind}`, rules)
    : tablePrinter("", { printer: { nullWhenEmpty: true } });
}
