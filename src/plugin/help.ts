/** The help of a plugin and of its commands, in the layout of kubectl's. */
import type { FlagOptions } from "../runtime/manager/flags.ts";
import { SHARED_FLAGS } from "./flags.ts";
import type { KubectlPlugin } from "./plugin.ts";

export function pluginHelp({ name, summary, commands }: KubectlPlugin): string {
  const rows = [...commands].map(([word, command]): Row => [word, command.summary]);
  return [
    summary,
    "",
    "Commands:",
    ...aligned(rows),
    "",
    "Usage:",
    `  kubectl ${name} COMMAND [flags]`,
    "",
    `Use "kubectl ${name} COMMAND --help" for the flags of a command.`,
  ].join("\n");
}

export function commandHelp({ name, commands }: KubectlPlugin, word: string): string {
  const { summary = "", args = "", examples = [], flags = {} } = commands.get(word) ?? {};
  return [
    summary,
    ...(examples.length > 0 ? ["", "Examples:", ...examples.map((one) => `  kubectl ${one}`)] : []),
    "",
    "Flags:",
    ...aligned([...ownRows(flags), ...sharedRows()]),
    "",
    "Usage:",
    `  ${["kubectl", name, word, args, "[flags]"].filter((one) => one !== "").join(" ")}`,
  ].join("\n");
}

type Row = readonly [string, string];

function ownRows(flags: FlagOptions): Row[] {
  const value = { boolean: "", string: " <text>", port: " <port>" };
  return Object.entries(flags).map(([name, { type, help }]) => [
    `    --${name}${value[type]}`,
    help,
  ]);
}

function sharedRows(): Row[] {
  return Object.entries(SHARED_FLAGS).map(([name, { short, value, help }]) => [
    `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` <${value}>`}`,
    help,
  ]);
}

function aligned(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`);
}
