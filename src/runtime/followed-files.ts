/**
 * Files that another program renews: the kubelet, cert-manager, a person with an editor. All parts
 * of the runtime that use such files read them through this class.
 */
import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Clock } from "../clock.ts";
import { errorFrom, messageOf } from "../errors.ts";

interface FollowedFilesOptions<T> {
  /** The paths of the files. A path that does not exist yet is followed as well. */
  readonly paths: () => readonly string[];
  /** Reads and checks the files. @throws any error if their content cannot be used */
  readonly read: () => T | Promise<T>;
  readonly clock: Clock;
  /** The content, if it was read just before. */
  readonly first?: T;
  /** The interval at which the files are examined for a change; 5 seconds when absent. */
  readonly lookEveryMs?: number;
  /** The interval at which unchanged files are read again; a minute when absent. */
  readonly readEveryMs?: number;
}

// Mounted files change by a symlink, which not every file system reports as an event. Examining
// them costs a `stat` of each file.
const LOOK_EVERY_MS = 5000;
// Some file systems record times too coarsely to show a change. It is also client-go's interval.
const READ_EVERY_MS = 60_000;
const MAX_READS = 3;
// A server that refuses every request does not make each of them parse a file that is unchanged.
const READ_REFUSED_EVERY_MS = 1000;

/**
 * The content of files, read again after a change. There is no timer: the files are examined when
 * somebody asks for the content, at most once per interval. Content that cannot be used, such as a
 * half-written file or a key that does not match its certificate, never replaces usable content.
 */
export class FollowedFiles<T> {
  readonly #options: FollowedFilesOptions<T>;
  #known: { readonly content: T } | undefined;
  #problem: Error | undefined;
  #stamp: string | undefined;
  #lookedAtMs = -Infinity;
  #readAtMs = -Infinity;
  #isStale = false;
  #looking: Promise<void> | undefined;

  constructor(options: FollowedFilesOptions<T>) {
    this.#options = options;
    if (options.first === undefined) return;
    this.#known = { content: options.first };
    this.#stamp = options.paths().map(stampNow).join(";");
    this.#lookedAtMs = this.#readAtMs = options.clock.monotonicMs();
  }

  /** The reason why the present files cannot be used; `undefined` if they can. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /**
   * The last usable content.
   *
   * @throws the error of `read` if the files were never usable
   */
  async get(): Promise<T> {
    const { fresh } = this;
    if (fresh !== undefined) return fresh;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
    if (this.#known) return this.#known.content;
    throw this.#problem ?? new Error("the files were not read");
  }

  /** The content, if the files need not be examined now. */
  get fresh(): T | undefined {
    if (this.#isStale || this.#looking) return undefined;
    const { clock, lookEveryMs = LOOK_EVERY_MS } = this.#options;
    const isFresh = clock.monotonicMs() - this.#lookedAtMs < lookEveryMs;
    return isFresh ? this.#known?.content : undefined;
  }

  /** Makes the next `get` read the files, because the present content was refused. */
  invalidate(): void {
    this.#isStale = true;
  }

  async #look(): Promise<void> {
    const { clock, paths, readEveryMs = READ_EVERY_MS } = this.#options;
    const nowMs = clock.monotonicMs();
    const stamp = await stampOf(paths());
    this.#lookedAtMs = nowMs;
    const againAfterMs = this.#isStale ? READ_REFUSED_EVERY_MS : readEveryMs;
    const isSame = stamp === this.#stamp && nowMs - this.#readAtMs < againAfterMs;
    if (this.#known && isSame) return;
    try {
      this.#known = { content: await this.#readWhole(stamp) };
      this.#problem = undefined;
      this.#isStale = false;
    } catch (error) {
      this.#problem = errorFrom(error);
    }
    this.#stamp = stamp;
    this.#readAtMs = nowMs;
  }

  /** Reads until no file changed while they were read. */
  async #readWhole(stamp: string): Promise<T> {
    let before = stamp;
    for (let read = 0; read < MAX_READS; read++) {
      const content = await this.#attempt();
      const after = await stampOf(this.#options.paths());
      if (after === before) {
        if ("error" in content) throw content.error;
        return content.value;
      }
      before = after;
    }
    throw new Error("the files change while they are read");
  }

  async #attempt(): Promise<{ readonly value: T } | { readonly error: unknown }> {
    try {
      return { value: await this.#options.read() };
    } catch (error) {
      return { error };
    }
  }
}

interface FileStamp {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

const textOf = ({ ino, size, mtimeMs, ctimeMs }: FileStamp): string =>
  `${ino} ${size} ${mtimeMs} ${ctimeMs}`;

function stampNow(path: string): string {
  try {
    return textOf(statSync(path));
  } catch (error) {
    return messageOf(error);
  }
}

/** A text that changes when one of the files is replaced or written. */
async function stampOf(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map((path) => stat(path).then(textOf, messageOf)))).join(";");
}
