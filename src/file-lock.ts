/**
 * A file that at most one process holds at a time: the commands' and the control plane's one kind of lock.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { isRunning, markIn, ownMark, type ProcessMark } from "./live-process.ts";

/** A lock that another process holds. */
export interface HeldLock {
  /** The holder, for people: `process 71 on my-host, since 2026-01-02T03:04:05Z`. */
  readonly holder: string;
  /** The id of the process, when it runs on this machine. */
  readonly localPid?: number;
}

/** The content of the file. */
interface Holder extends ProcessMark {
  /** Distinguishes locks of one process, and a process from an earlier one with the same number. */
  readonly id: string;
}

/** Secrets may be in the same folder, and no other user has to read the file. */
const PRIVATE_FILE = 0o600;

/**
 * The locks of this process. In a container every process may have the number of its predecessor.
 */
const ownIds = new Set<string>();

/** A lock that this process holds until `release`, or until the process ends in any way. */
export class FileLock {
  readonly #path: string;
  readonly #text: string;
  readonly #id: string;

  private constructor(path: string, { text, id }: { text: string; id: string }) {
    this.#path = path;
    this.#text = text;
    this.#id = id;
    ownIds.add(id);
  }

  /**
   * Creates the file, and its folder; a lock of a dead process is taken over. Returns at once.
   *
   * @throws the error of the file system, when no file can be written there
   */
  static tryTake(path: string): FileLock | HeldLock {
    const id = randomUUID();
    const text = JSON.stringify({ ...ownMark(), id } satisfies Holder);
    for (;;) {
      if (isCreated(path, text)) return new FileLock(path, { text, id });
      const found = contentOf(path);
      // The lock was released meanwhile.
      if (found === undefined) continue;
      if (!isStale(found)) return heldLock(path, found);
      const outcome = takeOver(path, found, { text, id });
      if (outcome === "taken") return new FileLock(path, { text, id });
      if (outcome !== "changed") return outcome;
    }
  }

  /**
   * Removes the file, unless somebody deleted it and another process has created it again since.
   */
  release(): void {
    ownIds.delete(this.#id);
    if (contentOf(this.#path) === this.#text) rmSync(this.#path, { force: true });
  }
}

/** Creates the file, in which only one process succeeds. */
function isCreated(path: string, text: string): boolean {
  mkdirSync(dirname(path), { recursive: true });
  let isOurs = false;
  try {
    writeFileSync(path, "", { flag: "wx", mode: PRIVATE_FILE });
    isOurs = true;
    writeFileSync(path, text);
    return true;
  } catch (error) {
    if (isOurs) rmSync(path, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    // The folder may be removed with the lock that was in it; Windows says EPERM of a file that is being deleted.
    if (!isOurs && (code === "EEXIST" || code === "ENOENT" || isBeingDeleted(path, code))) {
      return false;
    }
    throw error;
  }
}

function isBeingDeleted(path: string, code: string | undefined): boolean {
  if (code !== "EPERM" || process.platform !== "win32") return false;
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The text of the lock, empty when it cannot be read; `undefined` when there is none. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : "";
  }
}

/**
 * Replaces the lock of a dead process. The right to replace it is a lock of its own, named after
 * the content of the old one: of all processes that find the same content, one replaces it, and
 * none replaces its successor.
 */
function takeOver(
  path: string,
  found: string,
  own: { readonly text: string; readonly id: string },
): "taken" | "changed" | HeldLock {
  const name = createHash("sha256").update(found).digest("hex").slice(0, 16);
  const right = FileLock.tryTake(`${path}.${name}`);
  if (!(right instanceof FileLock)) return right;
  const next = `${path}.${own.id}`;
  try {
    if (contentOf(path) !== found) return "changed";
    writeFileSync(next, own.text, { flag: "wx", mode: PRIVATE_FILE });
    renameSync(next, path);
    return "taken";
  } finally {
    rmSync(next, { force: true });
    right.release();
  }
}

/**
 * Whether the process that created it is dead. For another machine, or an incomplete file, this is
 * unknown.
 */
function isStale(text: string): boolean {
  const holder = holderOf(text);
  if (!holder || holder.host !== hostname()) return false;
  if (holder.pid === process.pid) return !ownIds.has(holder.id);
  return isRunning(holder) === false;
}

function holderOf(text: string): Holder | undefined {
  try {
    const value = JSON.parse(text) as { readonly id?: unknown } | null;
    const mark = markIn(value);
    const id = value?.id;
    return mark && typeof id === "string" ? { ...mark, id } : undefined;
  } catch {
    return undefined;
  }
}

function heldLock(path: string, text: string): HeldLock {
  const made = statSync(path, { throwIfNoEntry: false })?.mtime;
  const since = made ? `, since ${made.toISOString().replace(/\.\d+/, "")}` : "";
  const holder = holderOf(text);
  if (!holder) return { holder: `process unknown${since}` };
  const isLocal = holder.host === hostname();
  return {
    holder: `process ${holder.pid} on ${holder.host}${since}`,
    ...(isLocal ? { localPid: holder.pid } : {}),
  };
}
