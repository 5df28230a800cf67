/**
 * How a source says that something went wrong.
 *
 * @module
 */
import type { Logger } from "../../../log.ts";

/** Where a source tells what goes wrong. */
export interface SourceReport {
  /** The controller's. */
  readonly log: Logger;
  /** Counts a failure, in `tsop_source_errors_total`. */
  failed(): void;
}
