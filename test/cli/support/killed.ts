/** A command that is killed in the middle of its writes, as by a power cut. */
import { AsyncLocalStorage } from "node:async_hooks";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import fileSystem from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { OwnState } from "../../../src/own-state.ts";
import { emptyFolder, runCli } from "./run-cli.ts";

const TSOP = fileURLToPath(new URL("../../../bin/tsop.js", import.meta.url));

/** Loaded into the program: the call of that number kills it; a write has written ten characters by then. */
const KILLER = `import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
const [name, at] = process.env.KILLED_AT.split(":");
const original = fs[name];
let left = Number(at);
fs[name] = async (...args) => {
  if (left-- === 0) {
    if (name === "writeFile") await original(args[0], String(args[1]).slice(0, 10));
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});
  }
  return original(...args);
};
syncBuiltinESMExports();
`;

/**
 * Runs the built `tsop ...argv` in `root`, in a process of its own, until it is killed; returns the signal that ended it.
 *
 * @param at - the function of `node:fs/promises` and the number of its call, from 0: `rename:2`
 */
export function killed(
  root: string,
  argv: readonly string[],
  at: string,
): Promise<string | undefined> {
  const killer = join(emptyFolder(), "killer.mjs");
  writeFileSync(killer, KILLER);
  const args = ["--import", pathToFileURL(killer).href, TSOP, ...argv];
  const env = { ...process.env, KILLED_AT: at };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, env }, (error) => {
      resolve(error?.signal ?? undefined);
    });
  });
}

/** A command in this process that dies at a call of the file system. */
interface Doomed {
  readonly name: string;
  left: number;
  isDead: boolean;
  readonly died: () => void;
}

const doomed = new AsyncLocalStorage<Doomed>();
/** No process has such an id. */
const DEAD_PID = 2 ** 30;

/**
 * Runs `tsop ...argv` in `root`, in this process, and leaves there what a process leaves that is
 * killed at that call: what was written by then, half of what was being written, and its lock.
 *
 * @param at - as in `killed`
 */
export async function stopped(root: string, argv: readonly string[], at: string): Promise<void> {
  const [name = "", left] = at.split(":");
  const original = { ...fileSystem };
  endAtCalls(original);
  try {
    await new Promise<void>((died, reject) => {
      const state = { name, left: Number(left), isDead: false, died };
      doomed
        .run(state, () => runCli(root, argv))
        .then(({ code, err }) => reject(new Error(`it came to its end: ${code} ${err}`)), reject);
    });
  } finally {
    Object.assign(fileSystem, original);
    syncBuiltinESMExports();
  }
  // Whose it was is gone.
  const lock = OwnState.about(root, "files").lockPath;
  if (existsSync(lock)) {
    const holder = JSON.parse(readFileSync(lock, "utf8")) as object;
    writeFileSync(lock, JSON.stringify({ ...holder, pid: DEAD_PID }));
  }
  const own = `.tsop-${process.pid}`;
  // With file types, links are not followed: node_modules is one.
  for (const { name, parentPath } of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!name.endsWith(own)) continue;
    renameSync(join(parentPath, name), join(parentPath, name.replace(own, `.tsop-${DEAD_PID}`)));
  }
}

/** From now on a doomed command dies at its call, and no call of a dead one is done or answered. */
function endAtCalls(original: typeof fileSystem): void {
  const functions = Object.entries(original).filter(([, value]) => typeof value === "function");
  for (const [name, call] of functions as [string, (...args: unknown[]) => unknown][]) {
    const doomedCall = async (...args: unknown[]): Promise<unknown> => {
      const state = doomed.getStore();
      if (state && !state.isDead && state.name === name && state.left-- === 0) {
        state.isDead = true;
        if (name === "writeFile") {
          await original.writeFile(args[0] as string, String(args[1]).slice(0, 10));
        }
        state.died();
      }
      return state?.isDead ? new Promise(() => undefined) : call(...args);
    };
    Object.assign(fileSystem, { [name]: doomedCall });
  }
  syncBuiltinESMExports();
}
