/** The report of a source's failures. */
import type { Logger } from "../../../log.ts";

/** Takes the failures of a source. */
export interface SourceReport {
  readonly log: Logger;
  /** Counts a failure, in `tsop_source_errors_total`. */
  failed(): void;
}
