/** Carries a command line of a plugin out. */
import { systemClock } from "../clock.ts";
import { readKubeconfig } from "../runtime/kubeconfig/kubeconfig.ts";
import { kubeconfigPaths, loadClusterConfig } from "../runtime/kubeconfig/load-config.ts";
import { present } from "../present.ts";
import { RunningCall, type CallPorts } from "./call.ts";
import { checkArguments, readCommandLine } from "./command-line.ts";
import { completionLines, type CompletionPorts } from "./complete.ts";
import { CallError, failureLines } from "./failures.ts";
import type { SharedValues } from "./flags.ts";
import { commandHelp, pluginHelp } from "./help.ts";
import type { KubectlPlugin } from "./plugin.ts";

/** A shell does not wait longer for words than this. */
const COMPLETION_TIMEOUT_MS = 3000;
/** The version that `tsop build` writes into the program. */
declare const PLUGIN_VERSION: string | undefined;

/** What a plugin needs of the process, for the flags that it was called with. */
export interface PluginPorts extends Omit<CompletionPorts, "connect" | "contexts"> {
  connect(shared: SharedValues): ReturnType<CallPorts["connect"]>;
  contexts(shared: SharedValues): readonly string[];
}

/**
 * Carries out the command line of this process, and sets its exit code: 0 when all went well, 1 otherwise, as for kubectl.
 *
 * @example
 * void runPlugin(plugin);
 */
export async function runPlugin(plugin: KubectlPlugin): Promise<void> {
  process.stdout.on("error", endQuietly);
  process.exitCode = await executePlugin(plugin, process.argv.slice(2), processPorts());
}

/** Carries out a command line, be it of a user, of the completion of a shell, or of `tsop krew`; returns the exit code. */
export async function executePlugin(
  plugin: KubectlPlugin,
  args: readonly string[],
  ports: PluginPorts,
): Promise<number> {
  const [first, ...words] = args;
  switch (first) {
    case "__complete":
      return complete(plugin, words, ports);
    case "__about":
      ports.out(`${JSON.stringify({ name: plugin.name, summary: plugin.summary })}\n`);
      return 0;
    case "--version":
      ports.out(`${typeof PLUGIN_VERSION === "string" ? PLUGIN_VERSION : "unknown"}\n`);
      return 0;
    case "help":
      return call(plugin, [...words, "--help"], ports);
    default:
      return call(plugin, args, ports);
  }
}

async function call(
  plugin: KubectlPlugin,
  args: readonly string[],
  ports: PluginPorts,
): Promise<number> {
  let helpCommand = `kubectl ${plugin.name}`;
  try {
    const { word } = readCommandLine(plugin, args, true);
    if (word !== undefined && plugin.commands.has(word)) helpCommand += ` ${word}`;
    const line = readCommandLine(plugin, args);
    if (word === undefined) {
      ports.out(`${pluginHelp(plugin)}\n`);
      return 0;
    }
    const command = plugin.commands.get(word);
    if (!command) {
      const known = [...plugin.commands.keys()].join(", ");
      throw new CallError(`unknown command "${word}" for "${helpCommand}": it has ${known}`);
    }
    if (line.help) {
      ports.out(`${commandHelp(plugin, word)}\n`);
      return 0;
    }
    checkArguments(command, line.args);
    const running = new RunningCall(plugin.name, line, {
      ...ports,
      connect: () => ports.connect(line.shared),
    });
    await command.run(running);
    return running.failed ? 1 : 0;
  } catch (error) {
    for (const text of failureLines(error, helpCommand)) ports.err(text);
    return 1;
  }
}

/** Prints the words that may follow those of a command line; returns the exit code. */
async function complete(
  plugin: KubectlPlugin,
  words: readonly string[],
  ports: PluginPorts,
): Promise<number> {
  try {
    const lines = await completionLines(plugin, words, (before) => {
      const { shared } = readCommandLine(plugin, before, true);
      return {
        ...ports,
        // A line on stderr would stand in the middle of what is being typed.
        err: () => undefined,
        connect: () => ({ ...ports.connect(shared), answerTimeoutMs: COMPLETION_TIMEOUT_MS }),
        contexts: () => ports.contexts(shared),
      };
    });
    ports.out(`${lines.join("\n")}\n`);
    return 0;
  } catch (error) {
    for (const text of failureLines(error, `kubectl ${plugin.name}`)) ports.err(text);
    return 1;
  }
}

function processPorts(): PluginPorts {
  const err = (text: string): void => void process.stderr.write(`${text}\n`);
  return {
    out: (text) => void process.stdout.write(text),
    err,
    clock: systemClock,
    connect: ({ kubeconfig, context }) =>
      loadClusterConfig({
        ...present({ kubeconfig, context }),
        onWarning: (text) => err(`Warning: ${text}`),
      }),
    contexts: ({ kubeconfig }) => {
      const paths = kubeconfig === undefined ? kubeconfigPaths(process.env) : [kubeconfig];
      return [...readKubeconfig(paths).contexts.keys()];
    },
  };
}

/** A reader that has seen enough, such as `head`, is no failure. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  // oxlint-disable-next-line no-restricted-properties -- nobody reads what would still be printed
  process.exit(0);
}
