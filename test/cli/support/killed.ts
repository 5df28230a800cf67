/** The built program, killed in the middle of its writes, as by a power cut. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { emptyFolder } from "./run-cli.ts";

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
 * Runs `tsop ...argv` in `root` until it is killed; returns the signal that ended it.
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
