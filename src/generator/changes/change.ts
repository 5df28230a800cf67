/** A difference between two states of a CRD, and its effect on those who have objects of it. */

/**
 * The severity of a change. `breaking`: an object or a client that was right is refused, or loses
 * data. `risky`: it may behave in another way. `safe`: nobody notices.
 */
type Severity = "breaking" | "risky" | "safe";

export interface Change {
  readonly severity: Severity;
  /** The CRD's name: `zones.dns.example.com`. */
  readonly crd: string;
  /** The version whose schema differs; empty for what all versions share. */
  readonly version: string;
  /** The path of properties, `.items` and `.additionalProperties` below the schema's root. */
  readonly path: readonly string[];
  /** The keyword that differs, where it is one: its marker is where the change was made. */
  readonly keyword: string;
  readonly message: string;
}

/** A difference, before it is known where. */
export type Finding = Pick<Change, "severity" | "keyword" | "message">;
