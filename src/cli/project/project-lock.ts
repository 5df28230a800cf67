/**
 * Locks: one command at a time changes the files of a project, and a kubeconfig is that of one
 * control plane at a time.
 */
import { rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { TsopError } from "../../errors.ts";
import { FileLock, type HeldLock } from "../../file-lock.ts";
import type { CliContext } from "../context.ts";
import { fileError } from "../file-errors.ts";
import { paint } from "../output.ts";

const LOCK = ".tsop/lock";
const POLL_MS = 50;
/** A wait as long as this is told. */
const QUIET_MS = 1500;
/** The longest wait for a lock: no command writes for as long as this. */
const PATIENCE_MS = 60_000;

/**
 * Does the work while no other command changes the project's files. Everything that the work
 * depends on has to be read in it.
 *
 * @throws TsopError `project-locked` when another command does not end; `file-failed`; what the work throws
 */
export async function alone<T>(
  root: string,
  { dryRun = false }: { readonly dryRun?: boolean },
  context: CliContext,
  work: () => Promise<T>,
): Promise<T> {
  if (dryRun) return work();
  const path = join(root, LOCK);
  const lock = await take(path, context);
  try {
    return await work();
  } finally {
    lock.release();
    removeIfEmpty(dirname(path));
  }
}

/**
 * Claims a kubeconfig for the control plane that this process starts, until `release`: a second one would write its
 * own address over it, and leave one behind that answers nobody.
 *
 * @param otherwise - what the user may do beside ending the other one
 * @throws TsopError `kubeconfig-in-use`, `file-failed`
 */
export function claimKubeconfig(path: string, otherwise = ""): FileLock {
  const lockPath = `${path}.in-use`;
  const lock = tryTake(lockPath);
  if (lock instanceof FileLock) return lock;
  const kill = lock.localPid === undefined ? "" : `, or \`kill ${lock.localPid}\``;
  throw new TsopError(
    "kubeconfig-in-use",
    `Another \`tsop dev\` or \`tsop cluster\` (${lock.holder}) is the control plane of ${path}.`,
    `Use that one, or end it (Ctrl-C in its terminal${kill})${otherwise}. If it is no longer running, delete ${lockPath}.`,
  );
}

async function take(path: string, context: CliContext): Promise<FileLock> {
  const { clock } = context;
  const began = clock.monotonicMs();
  let told = false;
  for (;;) {
    const lock = tryTake(path);
    if (lock instanceof FileLock) return lock;
    const waitedMs = clock.monotonicMs() - began;
    if (waitedMs > PATIENCE_MS) throw locked(path, lock);
    if (waitedMs > QUIET_MS && !told) {
      context.err(paint(context).dim(`  waiting    another tsop command changes this project`));
      told = true;
    }
    await clock.sleep(POLL_MS);
  }
}

function tryTake(path: string): FileLock | HeldLock {
  try {
    return FileLock.tryTake(path);
  } catch (error) {
    throw fileError(error) ?? error;
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The folder is not empty.
  }
}

function locked(path: string, { holder }: HeldLock): TsopError {
  return new TsopError(
    "project-locked",
    `Another tsop command (${holder}) has been changing this project's files for ${PATIENCE_MS / 1000} s and has not finished.`,
    `End it, or delete ${path} if it is no longer running; nothing was written.`,
  );
}
