/** A difference between two states of a CRD, and its effect on those who have objects of it. */

/**
 * The severity of a change. `breaking`: an object or a client that was right is refused, or loses
 * data. `risky`: it may behave in another way. `safe`: nobody notices.
 */
type Severity = "breaking" | "risky" | "safe";

/** A step below a node: into a field, the items of a list, or the values of a record. */
export type Step = { readonly field: string } | "items" | "values";

/** The path as people write it: `spec.ports[].name`, and `{}` for the values of a record. */
export const pathText = (path: readonly Step[]): string =>
  path
    .map((step) => (step === "items" ? "[]" : step === "values" ? "{}" : `.${step.field}`))
    .join("")
    .replace(/^\./, "");

export interface Change {
  readonly severity: Severity;
  /** The CRD's name: `zones.dns.example.com`. */
  readonly crd: string;
  /** The version whose schema differs; empty for what all versions share. */
  readonly version: string;
  /** The steps from the schema's root to the node. */
  readonly path: readonly Step[];
  /** The keyword that differs, where it is one: its marker is where the change was made. */
  readonly keyword: string;
  readonly message: string;
}

/** A difference, before it is known where. */
export type Finding = Pick<Change, "severity" | "keyword" | "message">;
