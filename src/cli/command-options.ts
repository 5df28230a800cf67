/**
 * What the flags of several commands have in common.
 *
 * @module
 */

import { Option } from "commander";

/** Takes the exit code of a command. */
export type Done = (code: number) => void;

/** The help of `--dry-run`. */
export const DRY_RUN = "show what would change, write nothing";

/** The help of `--diff`. */
export const DIFF = "show the lines that change";

/** `-o json`, of every command that prints facts. */
export const json = (): Option =>
  new Option("-o, --output <format>", "print the result as JSON").choices(["json"]);
