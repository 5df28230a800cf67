/** One command at a time changes the files of a project. */
import { TsopError } from "../../errors.ts";
import { FileLock, type HeldLock } from "../../file-lock.ts";
import type { CliContext } from "../context.ts";
import { fileError } from "../file-errors.ts";
import { OwnState } from "../../own-state.ts";
import { paint } from "../output.ts";

const POLL_MS = 50;
/** A wait as long as this is told. */
const QUIET_MS = 1500;
/** The longest wait for a lock: no command writes for as long as this. */
const PATIENCE_MS = 60_000;

/**
 * Does the work while no other command changes the project's files. Everything that the work
 * depends on has to be read in it.
 *
 * @throws TsopError `project-locked` when another command does not end; `file-failed`, `no-state-folder`; what the work throws
 */
export async function alone<T>(
  root: string,
  { dryRun = false }: { readonly dryRun?: boolean },
  context: CliContext,
  work: () => Promise<T>,
): Promise<T> {
  if (dryRun) return work();
  const lock = await take(OwnState.about(root, "files"), context);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function take(state: OwnState, context: CliContext): Promise<FileLock> {
  const { clock } = context;
  const began = clock.monotonicMs();
  let told = false;
  for (;;) {
    const lock = tryLock(state);
    if (lock instanceof FileLock) return lock;
    const waitedMs = clock.monotonicMs() - began;
    if (waitedMs > PATIENCE_MS) throw locked(state.lockPath, lock);
    if (waitedMs > QUIET_MS && !told) {
      context.err(paint(context).dim(`  waiting    another tsop command changes this project`));
      told = true;
    }
    await clock.sleep(POLL_MS);
  }
}

/** Takes the lock of a state. @throws TsopError `file-failed`, `no-state-folder` */
export function tryLock(state: OwnState): FileLock | HeldLock {
  try {
    return state.tryLock();
  } catch (error) {
    throw fileError(error) ?? error;
  }
}

function locked(path: string, { holder }: HeldLock): TsopError {
  return new TsopError(
    "project-locked",
    `Another tsop command (${holder}) has been changing this project's files for ${PATIENCE_MS / 1000} s and has not finished.`,
    `End it, or delete ${path} if it is no longer running; nothing was written.`,
  );
}
