/** The files that a script of a container sees, and what it prints about them. */
import { NotUnderstood } from "./not-understood.ts";

/** A change of a file, or its removal: then its text is `undefined`. */
export interface FileChange {
  readonly path: string;
  readonly text: string | undefined;
}

export class ShellFiles {
  readonly #files: Map<string, string>;
  readonly #touched = new Set<string>();
  readonly #tell: (change: FileChange) => void;

  /** @param tell - is told of each change */
  constructor(files: ReadonlyMap<string, string> | undefined, tell: (change: FileChange) => void) {
    this.#files = new Map(files);
    this.#tell = tell;
  }

  get all(): ReadonlyMap<string, string> {
    return this.#files;
  }

  write(path: string, text: string | undefined): void {
    if (text === undefined) this.#files.delete(path);
    else this.#files.set(path, text);
    this.#touched.add(path);
    this.#tell({ path, text });
  }

  append(path: string, text: string): void {
    this.write(path, (this.#files.get(path) ?? "") + text);
  }

  touch(path: string): void {
    this.append(path, "");
  }

  /** The text of a file. @throws NotUnderstood for a file that the image or a volume may have */
  #read(path: string): string | undefined {
    const text = this.#files.get(path);
    const isKnown =
      text !== undefined || /^\/(?:tmp|dev\/shm)\//.test(path) || this.#touched.has(path);
    if (!isKnown) throw new NotUnderstood();
    return text;
  }

  /** The output of `cat` or `ls`, and its exit code. @throws NotUnderstood */
  show(
    name: "cat" | "ls",
    paths: readonly string[],
  ): { readonly output: string; readonly code: number } {
    if (paths.length === 0) throw new NotUnderstood();
    let [output, code] = ["", 0];
    for (const path of paths) {
      const text = this.#read(path);
      if (text !== undefined) output += name === "cat" ? text : `${path}\n`;
      else {
        const what = name === "cat" ? `can't open '${path}'` : path;
        output += `${name}: ${what}: No such file or directory\n`;
        code = 1;
      }
    }
    return { output, code };
  }

  /** The result of `test`. @throws NotUnderstood */
  test(args: readonly string[]): boolean {
    if (args[0] === "!") return !this.test(args.slice(1));
    const [left = "", operator = "", right = ""] = args;
    if (args.length === 2 && /^-[efsr]$/.test(left)) {
      const text = this.#read(operator);
      return left === "-s" ? (text ?? "") !== "" : text !== undefined;
    }
    if (args.length === 2 && (left === "-n" || left === "-z")) {
      return (operator !== "") === (left === "-n");
    }
    if (args.length === 3 && /^(?:=|==|!=)$/.test(operator)) {
      return (left === right) === (operator !== "!=");
    }
    throw new NotUnderstood();
  }
}
