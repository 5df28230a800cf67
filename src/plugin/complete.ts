/**
 * The completion of shells: `kubectl_complete-<name>` hands the words of the command line on, and kubectl passes what is
 * printed to the shell.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/
 */
import { Namespace } from "../generated/k8s/core-v1.ts";
import { RunningCall, type CallPorts } from "./call.ts";
import { readCommandLine } from "./command-line.ts";
import { SHARED_FLAGS } from "./flags.ts";
import type { KubectlPlugin } from "./plugin.ts";

/** What completion needs of the process. */
export interface CompletionPorts extends CallPorts {
  /** The contexts of the kubeconfig. */
  contexts(): readonly string[];
}

/** cobra's words for the shell: no names of files beside these. */
const NO_FILES = 4;

/** The lines for kubectl: a word each, what it means behind a tab, and what else the shell may offer. */
export async function completionLines(
  plugin: KubectlPlugin,
  words: readonly string[],
  portsFor: (before: readonly string[]) => CompletionPorts,
): Promise<string[]> {
  const [before, typed] = [words.slice(0, -1), words.at(-1) ?? ""];
  const found = await suggested(plugin, before, typed, portsFor(before));
  return [...found.filter((one) => one.startsWith(typed)), `:${NO_FILES}`];
}

async function suggested(
  plugin: KubectlPlugin,
  before: readonly string[],
  typed: string,
  ports: CompletionPorts,
): Promise<readonly string[]> {
  const flag = flagWithValue(before.at(-1) ?? "");
  const line = readCommandLine(plugin, flag === undefined ? before : before.slice(0, -1), true);
  const call = new RunningCall(plugin.name, line, ports);
  const command = line.word === undefined ? undefined : plugin.commands.get(line.word);
  switch (flag) {
    case undefined:
      break;
    case "namespace":
      return (await call.client.list(Namespace)).map(({ metadata }) => metadata.name);
    case "context":
      return ports.contexts();
    default:
      return SHARED_FLAGS[flag]?.values ?? [];
  }
  if (typed.startsWith("-")) {
    const own = Object.entries(command?.flags ?? {});
    return [...own, ...Object.entries(SHARED_FLAGS)].map(
      ([name, { help }]) => `--${name}\t${help}`,
    );
  }
  if (line.word === undefined) {
    return [...plugin.commands].map(([word, { summary }]) => `${word}\t${summary}`);
  }
  const found = (await command?.complete?.(call)) ?? [];
  return found.filter((one) => !line.args.includes(one.split("\t")[0] ?? ""));
}

/** The name of a shared flag that takes the next word as its value. */
function flagWithValue(word: string): string | undefined {
  const found = Object.entries(SHARED_FLAGS).find(
    ([name, { short }]) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  );
  return found?.[1].type === "string" ? found[0] : undefined;
}
