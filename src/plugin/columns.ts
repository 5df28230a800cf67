/** Columns of objects, and the text of a table as kubectl prints it. */
import { statusOf } from "../kube/progress/kstatus.ts";
import type { KubeObject } from "../kube/object.ts";
import { ageOf } from "../kube/values/age.ts";

/** A column of a table. */
export interface Column<T> {
  /** The header, in capitals. */
  readonly name: string;
  /** Whether it is shown with `-o wide` only. */
  readonly wide?: boolean;
  /** The text of a cell; an absent or empty one is shown as `<none>`. */
  cell(row: T, nowMs: number): string | number | boolean | null | undefined;
}

/** Columns that fit objects of every kind. */
export const columns = {
  namespace: { name: "NAMESPACE", cell: ({ metadata }) => metadata.namespace },
  name: { name: "NAME", cell: ({ metadata }) => metadata.name },
  /** How far the object has come, by its conditions: `Current`, `InProgress`, `Failed`. */
  status: { name: "STATUS", cell: (object, nowMs) => statusOf(object, nowMs).status },
  /** The reason of the status, as a sentence. */
  message: {
    name: "MESSAGE",
    wide: true,
    cell: (object, nowMs) => statusOf(object, nowMs).message,
  },
  age: { name: "AGE", cell: ({ metadata }, nowMs) => ageOf(metadata.creationTimestamp, nowMs) },
} as const satisfies Readonly<Record<string, Column<KubeObject>>>;

/** kubectl's distance between columns, and the width that a column has at least. */
const GAP = 3;
const MIN_WIDTH = 6;

/** The lines of a table; the last column has no spaces behind it. */
export function tableLines<T>(
  rows: readonly T[],
  shown: readonly Column<T>[],
  { nowMs, headers }: { readonly nowMs: number; readonly headers: boolean },
): string[] {
  const cells = rows.map((row) =>
    shown.map((column) => {
      const cell = column.cell(row, nowMs);
      // One row is one line, whatever an object says.
      return cell === undefined || cell === null || cell === ""
        ? "<none>"
        : String(cell)
            .replace(/[\r\n]+/g, "\\n")
            .replace(CONTROLS, "");
    }),
  );
  const all = headers ? [shown.map(({ name }) => name), ...cells] : cells;
  const widths = shown.map((_column, index) =>
    Math.max(MIN_WIDTH - GAP, ...all.map((row) => row[index]?.length ?? 0)),
  );
  return all.map((row) =>
    row
      .map((cell, index) => cell.padEnd((widths[index] ?? 0) + GAP))
      .join("")
      .trimEnd(),
  );
}

/** Characters by which an object could write over the terminal. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;
