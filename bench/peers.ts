/** The processes of a benchmark: servers, and contenders in processes of their own. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { ServerAddress } from "./bench-server.ts";

/** A program that is controlled by lines of text. */
export interface Peer {
  readonly child: ChildProcess;
  say(line: string): void;
  /** The next line that it prints. @throws Error when it ends instead */
  next(): Promise<string>;
  /** Resolves when it has ended. */
  ended(): Promise<void>;
}

/** Starts a program. */
export function start(command: string, args: readonly string[]): Peer {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    child,
    say(line) {
      child.stdin.write(`${line}\n`);
    },
    async next() {
      const line = await lines.next();
      if (line.done) throw new Error(`${command} ${args.join(" ")} ended`);
      return line.value;
    },
    async ended() {
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** Starts a script of this project. */
export function startScript(script: string, ...args: string[]): Peer {
  return start(process.execPath, ["scripts/run-ts.mjs", script, ...args]);
}

/** Runs a server of `bench-server.ts` during `use`, which gets the line that it prints. */
export async function withServer(
  script: string,
  args: readonly string[],
  use: (printed: string) => Promise<void>,
): Promise<void> {
  const peer = startScript(script, ...args);
  try {
    await use(await peer.next());
  } finally {
    peer.child.kill("SIGTERM");
    await peer.ended();
  }
}

/** A kubeconfig for a server of `bench-server.ts`, as JSON. */
export function kubeconfigOf({ port, ca }: ServerAddress): string {
  const name = "bench";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [{ name, user: { token: name } }],
    clusters: [
      {
        name,
        cluster: {
          server: `https://127.0.0.1:${port}`,
          "certificate-authority-data": Buffer.from(ca).toString("base64"),
        },
      },
    ],
  });
}
