/** The flags that several commands have in common. */

import { type Command, Option } from "commander";
import { parseGoNanos } from "../kube/values/duration.ts";

/** Takes the exit code of a command. */
export type Done = (code: number) => void;

/** The help of `--dry-run`. */
export const DRY_RUN = "show what would change, write nothing";

/** The help of `--diff`. */
export const DIFF = "show the lines that change";

/** `-o json`, a flag of every command that prints facts. */
export const json = (): Option =>
  new Option("-o, --output <format>", "print the result as JSON").choices(["json"]);

/** The help of `--take-ownership`. */
export const TAKE_OWNERSHIP =
  "change objects of these names that others made, too; they are never deleted";

/** `--timeout`, in seconds: a number of them, or a duration as kubectl takes it. */
export const timeout = (about: string, seconds: number): Option =>
  new Option("--timeout <seconds>", `${about}, in seconds or as a duration such as 2m30s`)
    .default(seconds)
    .argParser((text) => {
      const nanos = parseGoNanos(text);
      return nanos === undefined ? Number(text) : Number(nanos) / 1e9;
    });

/** Collects the values of a flag that may be repeated. */
export const collect = (value: string, earlier: string[]): string[] => [...earlier, value];

/** Adds the flags that choose a cluster. */
export function withCluster(command: Command): Command {
  return command
    .option("--kubeconfig <file>", "the kubeconfig (default: $KUBECONFIG, ~/.kube/config)")
    .option("--context <name>", "its context (default: the current one)");
}
