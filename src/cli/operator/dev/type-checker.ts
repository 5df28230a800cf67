/** The project's own TypeScript compiler beside a running operator: what it finds is shown, and stops nothing. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { CliContext } from "../../context.ts";
import { paint } from "../../output.ts";
import { BackgroundProcess } from "../../processes.ts";

/** A finding: `src/main.ts(3,7): error TS2322: ...`. */
const FINDING = /^(.+)\((\d+),(\d+)\): error (TS\d+): (.*)$/;
/** The line at the end of each run of the compiler. */
const RUN_ENDED = /^(?:\[?\d.*)?Found (\d+) errors?\. Watching for file changes\.$/;

interface Finding {
  /** The file and the line: `src/main.ts:3`. */
  readonly place: string;
  readonly lines: string[];
}

/** The findings of one run of the compiler, as lines for people. */
class TypeReport {
  readonly #isTold: (place: string) => boolean;
  readonly #findings: Finding[] = [];
  #clean = true;

  constructor(isTold: (place: string) => boolean) {
    this.#isTold = isTold;
  }

  /** Takes a line of the compiler; returns the lines to print when it ends a run with news. */
  add(line: string): readonly string[] | undefined {
    const finding = FINDING.exec(line);
    if (finding) {
      const [, file = "", row = "", column = "", code = "", message = ""] = finding;
      const lines = [`${file}:${row}:${column} ${code}: ${message}`];
      this.#findings.push({ place: `${file}:${row}`, lines });
      return undefined;
    }
    // The rest of a longer message is indented.
    const last = this.#findings.at(-1);
    if (/^\s+\S/.test(line) && last) {
      last.lines.push(line);
      return undefined;
    }
    const end = RUN_ENDED.exec(line.trim());
    if (!end) return undefined;
    const found = this.#findings.splice(0);
    const news = found.filter(({ place }) => !this.#isTold(place));
    const count = Number(end[1]) - (found.length - news.length);
    // What is wrong was told already, and is not gone.
    if (count === 0 && found.length > 0) return undefined;
    const wasClean = this.#clean;
    this.#clean = count === 0;
    if (count > 0) {
      return [
        ...news.flatMap(({ lines }) => lines),
        `types: ${count} ${count === 1 ? "error" : "errors"}; the operator runs all the same`,
      ];
    }
    return wasClean ? undefined : ["types: all errors are fixed"];
  }
}

export class TypeChecker {
  readonly #compiler: BackgroundProcess;

  private constructor(compiler: BackgroundProcess) {
    this.#compiler = compiler;
  }

  /**
   * Starts the compiler; `undefined` when the project has no TypeScript.
   *
   * @param isTold - whether something wrong at a line (`src/main.ts:3`) was told already, as mistakes of syntax are
   */
  static start(
    root: string,
    context: CliContext,
    isTold: (place: string) => boolean = () => false,
  ): TypeChecker | undefined {
    const compiler = compilerOf(root);
    const { dim, yellow } = paint(context);
    if (compiler === undefined) {
      context.err(dim("  types are not checked: node_modules has no typescript"));
      return undefined;
    }
    const args = [compiler, "--noEmit", "--watch", "--preserveWatchOutput", "--pretty", "false"];
    const report = new TypeReport(isTold);
    const call = { program: process.execPath, args, cwd: root, env: context.env };
    const onLine = (line: string): void => {
      for (const text of report.add(line) ?? []) context.err(yellow(text));
    };
    return new TypeChecker(BackgroundProcess.start(call, { onLine, endsWithCommand: true }));
  }

  stop(): void {
    this.#compiler.end();
  }
}

function compilerOf(root: string): string | undefined {
  try {
    const manifest = createRequire(join(root, "package.json")).resolve("typescript/package.json");
    const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin?: { tsc?: string } };
    return bin?.tsc === undefined ? undefined : join(dirname(manifest), bin.tsc);
  } catch {
    return undefined;
  }
}
