/**
 * What the flags of several commands have in common.
 *
 * @module
 */

/** Takes the exit code of a command. */
export type Done = (code: number) => void;

/** The help of `--dry-run`. */
export const DRY_RUN = "show what would change, write nothing";

/** The help of `--diff`. */
export const DIFF = "show the lines that change";
