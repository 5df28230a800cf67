/**
 * The disk as the compiler asks for it, with a note of each answer: the stamp of a run holds all of them.
 */
import { readdirSync } from "node:fs";
import { ts } from "../../load.ts";
import type { Reads } from "../../stamp.ts";
import { readRegularFileSync } from "../../../regular-file.ts";

/** Texts that files will have, by absolute path; `undefined` for a file that will be gone. */
export type EditedFiles = ReadonlyMap<string, string | undefined>;

/**
 * Files and folders by path. A question that was answered once has the same answer until `forget`.
 */
export class Disk implements ts.ParseConfigHost {
  readonly useCaseSensitiveFileNames = ts.sys.useCaseSensitiveFileNames;
  readonly #files = new Map<string, Buffer>();
  readonly #folders = new Map<string, readonly string[]>();
  readonly #noFile = new Set<string>();
  readonly #noFolder = new Set<string>();
  readonly #edited: EditedFiles;

  /** @param edited - files that are read as they will be */
  constructor(edited: EditedFiles = new Map()) {
    this.#edited = edited;
  }

  /** All questions and answers since the last `forget`. */
  reads(): Reads {
    return {
      files: this.#files,
      folders: this.#folders,
      noFile: this.#noFile,
      noFolder: this.#noFolder,
    };
  }

  /** Forgets all answers: files may have changed. */
  forget(): void {
    this.#files.clear();
    this.#folders.clear();
    this.#noFile.clear();
    this.#noFolder.clear();
  }

  /** The text of a file. @throws the system's error for one that cannot be read */
  getText(path: string): string {
    const edited = this.#edited.get(path);
    if (edited !== undefined) return edited;
    return decoded(this.#note(path));
  }

  /**
   * The content of a file, which is noted. @throws the system's error for one that cannot be read
   */
  #note(path: string): Buffer {
    const bytes = this.#files.get(path) ?? readRegularFileSync(path);
    this.#files.set(path, bytes);
    return bytes;
  }

  /** The text of a file, unless it cannot be read. */
  readFile(path: string): string | undefined {
    return this.fileExists(path) ? this.getText(path) : undefined;
  }

  /** Whether there is such a file. Its content is noted, since the answer depends on it. */
  fileExists(path: string): boolean {
    if (this.#edited.has(path)) return this.#edited.get(path) !== undefined;
    if (this.#files.has(path)) return true;
    if (this.#noFile.has(path)) return false;
    if (ts.sys.fileExists(path)) {
      this.#note(path);
      return true;
    }
    this.#noFile.add(path);
    return false;
  }

  /** Whether there is such a folder. */
  directoryExists(path: string): boolean {
    if (this.#noFolder.has(path)) return false;
    const exists = ts.sys.directoryExists(path);
    if (!exists) this.#noFolder.add(path);
    return exists;
  }

  /** The names of the folders in a folder. */
  getDirectories(path: string): string[] {
    if (this.directoryExists(path)) this.#folders.set(path, readdirSync(path).sort());
    return ts.sys.getDirectories(path);
  }

  /** The folder or file that a path leads to over links. */
  realpath(path: string): string {
    return ts.sys.realpath?.(path) ?? path;
  }

  /**
   * Never asked for the sources: `tsconfig.json` may name files by pattern, but they are not looked
   * for in this way.
   */
  readDirectory(): readonly string[] {
    return [];
  }
}

/**
 * The text of a file. Windows' editors write UTF-16, and a mark at the beginning. `Buffer` is far
 * faster than a `TextDecoder`.
 */
function decoded(bytes: Buffer): string {
  const text = bytes.toString(bytes[0] === 0xff && bytes[1] === 0xfe ? "utf16le" : "utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** The compiler host of a program, reading through `disk`. */
export function createHost(options: ts.CompilerOptions, disk: Disk): ts.CompilerHost {
  return Object.assign(ts.createCompilerHost(options, true), {
    readFile: (path: string) => disk.readFile(path),
    fileExists: (path: string) => disk.fileExists(path),
    directoryExists: (path: string) => disk.directoryExists(path),
    getDirectories: (path: string) => disk.getDirectories(path),
  });
}
