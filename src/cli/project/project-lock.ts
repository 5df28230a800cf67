/**
 * One command at a time changes the files of a project.
 *
 * @module
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { messageOf, TsopError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";

const LOCK = ".tsop/lock";
const POLL_MS = 50;
/** A wait as long as this is told. */
const QUIET_MS = 1500;
/** No command writes for as long as this. */
const PATIENCE_MS = 60_000;

/** Who holds a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
}

/**
 * Does the work while no other command changes the project's files. What the work depends on has to be read in it.
 *
 * @throws TsopError `project-locked` when another command does not end; `write-failed`; what the work throws
 */
export async function alone<T>(
  root: string,
  { dryRun = false }: { readonly dryRun?: boolean },
  context: CliContext,
  work: () => Promise<T>,
): Promise<T> {
  if (dryRun) return work();
  const path = join(root, LOCK);
  const text = JSON.stringify({ pid: process.pid, host: hostname() } satisfies Holder);
  await take(path, text, context);
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
    removeIfEmpty(dirname(path));
  }
}

async function take(path: string, text: string, context: CliContext): Promise<void> {
  const { clock } = context;
  const began = clock.monotonicMs();
  let told = false;
  while (!isTaken(path, text)) {
    const found = readLock(path);
    if (found !== undefined && isStale(found)) {
      removeStale(path, found);
      continue;
    }
    const waitedMs = clock.monotonicMs() - began;
    if (waitedMs > PATIENCE_MS) throw locked(path, found);
    if (waitedMs > QUIET_MS && !told) {
      context.err(paint(context).dim(`  waiting    another tsop command changes this project`));
      told = true;
    }
    await clock.sleep(POLL_MS);
  }
}

/** Makes the file, which only one process can. */
function isTaken(path: string, text: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The folder goes with the lock that was in it: it may go between the two steps.
    if (code === "EEXIST" || code === "ENOENT") return false;
    // Windows says so of a file that is being deleted.
    if (code === "EPERM" && existsSync(path)) return false;
    throw new TsopError(
      "write-failed",
      `The files could not be written: ${messageOf(error)}.`,
      "Nothing was changed. Make that place writable and run the command again.",
      { cause: error },
    );
  }
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Whether the process that made it is gone; of another machine, or of a file half written, nobody knows. */
function isStale(text: string): boolean {
  const holder = holderOf(text);
  if (!holder || holder.host !== hostname()) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function holderOf(text: string): Holder | undefined {
  try {
    const { pid, host } = JSON.parse(text) as Partial<Holder>;
    return Number.isInteger(pid) && host !== undefined ? { pid: Number(pid), host } : undefined;
  } catch {
    return undefined;
  }
}

/** Takes the file away that was found; another command may have put its own there meanwhile, which goes back. */
function removeStale(path: string, found: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readLock(aside) === found) rmSync(aside, { force: true });
    else renameSync(aside, path);
  } catch {
    // Somebody else was faster; the next look shows what is there.
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It holds something else.
  }
}

function locked(path: string, found = ""): TsopError {
  const holder = holderOf(found);
  const who = holder ? ` (process ${holder.pid} on ${holder.host})` : "";
  return new TsopError(
    "project-locked",
    `Another tsop command${who} has changed this project's files for ${PATIENCE_MS / 1000} s and has not ended.`,
    `End it, or delete ${path} when it does not run any more; nothing was written.`,
  );
}
