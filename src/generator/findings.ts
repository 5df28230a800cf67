/** Mistakes in the user's files: collected, so that one run shows every one of them. */
import type { Diagnostic } from "../errors.ts";
import type { Position } from "./model.ts";

/** The mistakes of one run, each once. */
export class Findings {
  readonly #found = new Map<string, Diagnostic>();

  /** Notes an error, with which nothing is written. */
  error(at: Position, code: string, message: string, fix: string): void {
    this.#add("error", at, code, message, fix);
  }

  /** Notes something that may be intended. */
  warn(at: Position, code: string, message: string, fix: string): void {
    this.#add("warning", at, code, message, fix);
  }

  /** Takes over the findings of another list. */
  addAll(other: Findings): void {
    for (const [key, finding] of other.#found) this.#found.set(key, finding);
  }

  /** Whether anything keeps the manifests from being written. */
  hasErrors(): boolean {
    return [...this.#found.values()].some(({ severity }) => severity === "error");
  }

  /** Whether something is wrong at that very place. */
  hasErrorAt({ file, line, column }: Position): boolean {
    return [...this.#found.values()].some(
      (found) =>
        found.severity === "error" &&
        found.file === file &&
        found.line === line &&
        found.column === column,
    );
  }

  /** The files that have a finding of that code. */
  filesWith(code: string): ReadonlySet<string> {
    const found = [...this.#found.values()].filter((finding) => finding.code === code);
    return new Set(found.map(({ file }) => file));
  }

  /** All findings, by file, line and column. */
  sorted(): Diagnostic[] {
    return [...this.#found.values()].sort(
      (a, b) =>
        (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
    );
  }

  #add(
    severity: Diagnostic["severity"],
    at: Position,
    code: string,
    message: string,
    fix: string,
  ): void {
    const { file, line, column } = at;
    // A type that two fields share is read twice; its mistake is told once.
    this.#found.set(`${file}:${line}:${column} ${code} ${message}`, {
      severity,
      code,
      message,
      fix,
      file,
      line,
      column,
    });
  }
}
