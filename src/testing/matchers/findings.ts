/** The verdicts of matchers, free of the test runner. */

/** The verdict of a matcher. */
export interface Finding {
  readonly pass: boolean;
  /** The expected and the actual state. */
  readonly message: string;
}

interface Named {
  readonly kind?: string;
  readonly metadata: { readonly namespace?: string; readonly name?: string };
}

/** Whether the value can be a Kubernetes object: it has metadata. */
export function isObject(value: unknown): value is Named {
  const { metadata } = (value ?? {}) as { metadata?: unknown };
  return typeof metadata === "object" && metadata !== null;
}

/** The name of an object in messages: `Deployment default/web`. */
export function describeObject({ kind = "object", metadata }: Named): string {
  const { namespace, name = "(no name)" } = metadata;
  return `${kind} ${namespace ? `${namespace}/` : ""}${name}`;
}

export function notAnObject(matcher: string, value: unknown): Finding {
  const found = value === null ? "null" : typeof value;
  return {
    pass: false,
    message: `${matcher} checks a Kubernetes object, but got ${found === "object" ? "an object without metadata" : found}.`,
  };
}

/** Rows with headings, in columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`)
    .map((line) => line.trimEnd())
    .join("\n");
}
