/**
 * The store on disk: a snapshot, followed by a log of the changes since.
 *
 * Every change is a line of JSON. A write is answered after its line has reached the disk; lines
 * that arrive while one write is under way share the next. A line that was cut off by a crash is
 * the last one and was never answered, so it is dropped.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { TsopError, messageOf } from "../../errors.ts";
import { FileLock } from "../../file-lock.ts";
import { encodeJson } from "../../kube/json.ts";
import type { SentObject } from "../../kube/object.ts";
import { readJson } from "../wire/json/json-scanner.ts";
import type { Change } from "./change.ts";
import type { ChangeSink } from "./store.ts";
import { present } from "../../present.ts";

/** The content of a data folder. */
export interface LoadedState {
  /** The last version of the store; `undefined` for a new folder. */
  readonly version?: number;
  readonly objects: readonly (readonly [collection: string, object: SentObject])[];
}

interface Line {
  /** The version after the change. */
  readonly v: number;
  readonly collection?: string;
  readonly key?: string;
  /** The object after the change; absent when it was deleted. */
  readonly object?: SentObject;
}

const SNAPSHOT = "snapshot.jsonl";
const LOG = "changes.jsonl";
const LOCK = "lock";

/** The mode of files and folders: they hold Secrets, so only their owner may read them. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Files are removed and created: not through a link of that name, and never readable for others. */
const CREATE = "wx";

/** The size of the log at which a new snapshot replaces it; more when the snapshot is larger. */
const LOG_MAX_BYTES = 32 * 1024 * 1024;

/** The log of one folder, which it locks until `close`. */
export class StoreLog implements ChangeSink {
  readonly #folder: string;
  #lock: FileLock | undefined;
  readonly #state = new Map<string, Line>();
  #version: number | undefined;
  #waiting: string[] = [];
  #file: FileHandle | undefined;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #logBytes = 0;
  #snapshotBytes = 0;
  readonly #logMaxBytes: number;

  /** @param logMaxBytes - the size at which the log is folded into a new snapshot */
  constructor(folder: string, logMaxBytes = LOG_MAX_BYTES) {
    this.#folder = folder;
    this.#logMaxBytes = logMaxBytes;
  }

  /**
   * Reads the content of the folder, and begins a new log after a fresh snapshot.
   *
   * @throws TsopError `data-dir-broken`, or `data-dir-in-use` while the process that holds the folder
   *   lives, or when it is on another machine
   */
  async open(): Promise<LoadedState> {
    mkdirSync(this.#folder, { recursive: true, mode: PRIVATE_FOLDER });
    const path = join(this.#folder, LOCK);
    const lock = FileLock.tryTake(path);
    if (!(lock instanceof FileLock)) {
      throw new TsopError(
        "data-dir-in-use",
        `Another control plane (${lock.holder}) works in ${this.#folder}.`,
        `Stop it, or pass another data directory. If it is no longer running, delete ${path}.`,
      );
    }
    this.#lock = lock;
    try {
      this.#read(SNAPSHOT, false, 0);
      // A log left by a crash beside a newer snapshot begins with changes that the snapshot already
      // holds.
      this.#read(LOG, true, this.#version ?? 0);
      this.#writeSnapshot();
      this.#file = await this.#newLog();
    } catch (error) {
      lock.release();
      throw error;
    }
    return {
      ...present({ version: this.#version }),
      objects: [...this.#state.values()].flatMap(({ collection, object }) =>
        collection !== undefined && object ? [[collection, object] as const] : [],
      ),
    };
  }

  append(change: Change): void {
    const { version: v, collection, key, type, object } = change;
    const line: Line = { v, collection, key, ...(type === "DELETED" ? {} : { object }) };
    this.#take(line);
    this.#waiting.push(`${encodeJson(line)}\n`);
  }

  flushed(): Promise<void> {
    if (this.#waiting.length === 0) return this.#writing;
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined;
      this.#writing = this.#write();
      return this.#writing;
    });
    return this.#next;
  }

  /** Writes the pending changes, and releases the folder. */
  async close(): Promise<void> {
    await this.flushed();
    await this.#file?.close();
    this.#lock?.release();
  }

  /** The result of a start with this log, which is closed when the start fails. */
  async closeIfFailed<T>(start: () => Promise<T>): Promise<T> {
    try {
      return await start();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #write(): Promise<void> {
    const text = this.#waiting.join("");
    this.#waiting = [];
    await this.#file?.appendFile(text);
    await this.#file?.datasync();
    this.#logBytes += Buffer.byteLength(text);
    if (this.#logBytes > Math.max(this.#logMaxBytes, this.#snapshotBytes)) await this.#fold();
  }

  /** Begins a new log after a new snapshot. */
  async #fold(): Promise<void> {
    this.#writeSnapshot();
    const old = this.#file;
    this.#file = await this.#newLog();
    await old?.close();
    this.#logBytes = 0;
  }

  async #newLog(): Promise<FileHandle> {
    const path = join(this.#folder, LOG);
    rmSync(path, { force: true });
    return open(path, CREATE, PRIVATE_FILE);
  }

  #take(line: Line): void {
    this.#version = line.v;
    if (line.collection === undefined || line.key === undefined) return;
    const name = `${line.collection} ${line.key}`;
    if (line.object) this.#state.set(name, line);
    else this.#state.delete(name);
  }

  /** @param known - the version up to which lines are skipped */
  #read(name: string, mayBeCut: boolean, known: number): void {
    const file = join(this.#folder, name);
    if (!existsSync(file)) return;
    const lines = readFileSync(file, "utf8").split("\n");
    lines.forEach((text, index) => {
      if (text === "") return;
      try {
        const line = readJson(text) as Line;
        if (line.v > known) this.#take(line);
      } catch (cause) {
        if (mayBeCut && index === lines.length - 1) return;
        throw new TsopError(
          "data-dir-broken",
          `${file}:${index + 1} cannot be read: ${messageOf(cause)}`,
          "Restore the folder from a copy, or delete it to begin anew.",
          { cause },
        );
      }
    });
  }

  /** Replaces the old snapshot and the log with a new snapshot; the rename makes it one step. */
  #writeSnapshot(): void {
    const file = join(this.#folder, SNAPSHOT);
    rmSync(`${file}.new`, { force: true });
    const descriptor = openSync(`${file}.new`, CREATE, PRIVATE_FILE);
    if (this.#version !== undefined) {
      writeSync(descriptor, `${JSON.stringify({ v: this.#version })}\n`);
    }
    for (const line of this.#state.values()) {
      writeSync(descriptor, `${encodeJson({ ...line, v: this.#version })}\n`);
    }
    this.#snapshotBytes = fstatSync(descriptor).size;
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(`${file}.new`, file);
    // A rename is durable only once its folder is, which Windows cannot sync.
    if (process.platform === "win32") return;
    const folder = openSync(this.#folder, "r");
    fsyncSync(folder);
    closeSync(folder);
  }
}
