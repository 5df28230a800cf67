/** The choice of the lines of the operator's log that `tsop dev` shows: all, those of one controller, or errors. */
import { isErrorEntry, parseLogEntry } from "../log-lines.ts";

/** The lines that are shown. */
type Shown =
  | { readonly of: "all" }
  | { readonly of: "errors" }
  | { readonly of: "controller"; readonly name: string };

/** The choice of one `tsop dev`: it stays when the operator is another process. */
export class LogChoice {
  readonly #controllers = new Set<string>();
  #shown: Shown = { of: "all" };
  #hidden = 0;

  /**
   * Whether a line is shown. Lines that are none of the logger are, whatever was chosen: they are what the code prints,
   * or why the process ended. So are errors that are of no controller.
   */
  shows(line: string): boolean {
    const entry = parseLogEntry(line);
    if (!entry) return true;
    const { controller } = entry;
    const name = typeof controller === "string" ? controller : undefined;
    if (name !== undefined) this.#controllers.add(name);
    const isError = isErrorEntry(entry);
    const isShown =
      this.#shown.of === "all" ||
      (this.#shown.of === "errors" ? isError : name === this.#shown.name) ||
      (isError && name === undefined);
    if (!isShown) this.#hidden++;
    return isShown;
  }

  /** Chooses the next: all, each controller, errors, and all again. Returns a line that names the choice. */
  next(): string {
    const hidden = this.#hidden;
    this.#hidden = 0;
    this.#shown = this.#after(this.#shown);
    const count = hidden === 1 ? "1 line was" : `${hidden} lines were`;
    return `log: ${words(this.#shown)}${hidden > 0 ? `; ${count} not shown until now` : ""}`;
  }

  #after(shown: Shown): Shown {
    if (shown.of === "errors") return { of: "all" };
    const names = [...this.#controllers].sort();
    const at = shown.of === "controller" ? names.indexOf(shown.name) + 1 : 0;
    const name = names[at];
    return name === undefined ? { of: "errors" } : { of: "controller", name };
  }
}

function words(shown: Shown): string {
  if (shown.of === "controller") return `only the controller ${shown.name}`;
  return shown.of === "errors" ? "only errors" : "everything";
}
