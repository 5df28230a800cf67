/**
 * The facts that tsop believes later: they are in a folder that only this user can write, never in a project.
 *
 * A cloned repository can contain any file, so what is found in a project is the project's word. The folder is
 * `TSOP_STATE_DIR`, or the platform's place for the state of programs.
 */
import { createHash, randomUUID } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { messageOf, TsopError } from "./errors.ts";
import { FileLock, type HeldLock } from "./file-lock.ts";
import { isRunning, markIn, ownMark } from "./live-process.ts";

/** A fact about a path, such as the control plane whose kubeconfig it is. */
export class OwnState {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /**
   * @param path - the file or folder that it is about, which does not have to exist; links to it are the same
   * @param name - which fact about the path
   */
  static about(path: string, name: string): OwnState {
    const key = createHash("sha256")
      .update(`${realPath(resolve(path))}\0${name}`)
      .digest("hex");
    return new OwnState(`${key.slice(0, 32)}.json`);
  }

  /** The fact; `undefined` if there is none. */
  read(): Readonly<Record<string, unknown>> | undefined {
    const folder = existingFolder();
    return folder === undefined ? undefined : recordIn(join(folder, this.#file))?.fact;
  }

  /** The fact, if the process that wrote it still runs on this machine. */
  readLive(): Readonly<Record<string, unknown>> | undefined {
    const folder = existingFolder();
    const record = folder === undefined ? undefined : recordIn(join(folder, this.#file));
    const writer = markIn(record?.writer);
    return writer && isRunning(writer) === true ? record?.fact : undefined;
  }

  /** Replaces the fact. @throws TsopError `no-state-folder` */
  write(fact: Readonly<Record<string, unknown>>): void {
    const file = join(stateFolder(), this.#file);
    const temporary = `${file}.${randomUUID()}.tmp`;
    try {
      writeFileSync(temporary, `${JSON.stringify({ writer: ownMark(), fact })}\n`, {
        mode: 0o600,
        flag: "wx",
      });
      renameSync(temporary, file);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw noStateFolder(file, messageOf(error), error);
    }
  }

  remove(): void {
    const folder = existingFolder();
    if (folder !== undefined) rmSync(join(folder, this.#file), { force: true });
  }

  /** The path of the lock about the path. @throws TsopError `no-state-folder` */
  get lockPath(): string {
    return `${join(stateFolder(), this.#file)}.lock`;
  }

  /** @throws TsopError `no-state-folder`; as `FileLock.tryTake` */
  tryLock(): FileLock | HeldLock {
    return FileLock.tryTake(this.lockPath);
  }
}

interface StateRecord {
  readonly writer: unknown;
  readonly fact: Readonly<Record<string, unknown>>;
}

function recordIn(file: string): StateRecord | undefined {
  try {
    const { writer, fact } = JSON.parse(readFileSync(file, "utf8")) as Partial<StateRecord>;
    return typeof fact === "object" ? { writer, fact } : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Half a file is none: it is replaced as a whole.
    if (code === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw noStateFolder(file, messageOf(error), error);
  }
}

/** The first of these that can be used; the second only where the user has no home folder. */
function candidates(): readonly string[] {
  const { TSOP_STATE_DIR, XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  if (TSOP_STATE_DIR !== undefined && isAbsolute(TSOP_STATE_DIR)) return [TSOP_STATE_DIR];
  if (process.platform === "win32") {
    return [join(LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "tsop", "State")];
  }
  const state =
    XDG_STATE_HOME !== undefined && isAbsolute(XDG_STATE_HOME)
      ? XDG_STATE_HOME
      : join(
          homedir(),
          process.platform === "darwin" ? "Library/Application Support" : ".local/state",
        );
  return [join(state, "tsop"), join(tmpdir(), `tsop-${process.getuid?.() ?? 0}`)];
}

/**
 * The state folder, if there is one. All users can create the second candidate: a faulty one counts as missing.
 *
 * @throws TsopError `no-state-folder` for a faulty first candidate
 */
function existingFolder(): string | undefined {
  return candidates().find((folder, index) => {
    const fault = faultOf(folder);
    if (fault === "missing" || (fault !== undefined && index > 0)) return false;
    if (fault !== undefined) throw noStateFolder(folder, fault);
    return true;
  });
}

/** The state folder, created if it does not exist. @throws TsopError `no-state-folder` */
function stateFolder(): string {
  let failure: unknown;
  for (const folder of candidates()) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      failure ??= error;
      continue;
    }
    const fault = faultOf(folder);
    if (fault !== undefined) throw noStateFolder(folder, fault);
    return folder;
  }
  throw noStateFolder(candidates()[0] ?? "", messageOf(failure), failure);
}

const OTHERS_CAN_WRITE = 0o022;

/** The reason that a folder is not believed. */
function faultOf(folder: string): string | undefined {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (!stat) return "missing";
  if (!stat.isDirectory()) return "it is not a folder";
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  if (stat.uid !== user) return "it belongs to another user";
  return (stat.mode & OTHERS_CAN_WRITE) === 0 ? undefined : "other users can write to it";
}

function noStateFolder(path: string, why: string, cause?: unknown): TsopError {
  return new TsopError(
    "no-state-folder",
    `${path} cannot hold the state of tsop: ${why}.`,
    "Set TSOP_STATE_DIR to an absolute path of a folder that only your user can write.",
    { cause },
  );
}

/** The path without links, also of a file that does not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}
