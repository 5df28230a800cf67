/** Runs the sources of a project in this process. */
import { transformSync } from "esbuild";
import { SourceMap } from "node:module";
import { compileFunction } from "node:vm";
import { posix } from "node:path";
import * as tsop from "../../../src/index.ts";
import * as k8s from "../../../src/k8s.ts";
import { rememberCalls } from "./observed.ts";

/** A place in the sources: `src/main.ts:7`. */
export type Line = string;

/** The exports of a module. */
export type Exports = Record<string, unknown>;

/** The root in the names of scripts, by which their frames are found in stacks. */
const ROOT = "/random-project/";
const FRAME = /\/random-project\/([^:)]+):(\d+):(\d+)/g;

const PACKAGES: Readonly<Record<string, unknown>> = {
  tsop: {
    ...tsop,
    createManager: (options: tsop.ManagerOptions) => rememberCalls(tsop.createManager(options)),
  },
  "tsop/k8s": k8s,
};

/** The sources of a project, compiled. */
export class Loaded {
  readonly #files: ReadonlyMap<string, string>;
  readonly #modules = new Map<string, Exports>();
  readonly #maps = new Map<string, SourceMap>();

  constructor(files: ReadonlyMap<string, string>) {
    this.#files = files;
  }

  /** The exports of a file, which runs when it is asked for first. */
  import(path: string): Exports {
    const known = this.#modules.get(path);
    if (known) return known;
    const text = this.#files.get(path);
    if (text === undefined) throw new Error(`the project has no ${path}`);
    const { code, map } = transformSync(text, {
      loader: "ts",
      format: "cjs",
      target: "node20",
      sourcefile: path,
      sourcemap: "external",
      tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
    });
    this.#maps.set(
      path,
      new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]),
    );
    const exports: Exports = {};
    this.#modules.set(path, exports);
    const module = { exports };
    const names = ["require", "module", "exports"];
    const run = compileFunction(code, names, { filename: `${ROOT}${path}` }) as (
      ...given: unknown[]
    ) => void;
    const require = (specifier: string): unknown =>
      PACKAGES[specifier] ?? this.import(posix.join(posix.dirname(path), specifier));
    run(require, module, exports);
    // esbuild replaces the object; who imported in a circle has the first one.
    Object.defineProperties(exports, Object.getOwnPropertyDescriptors(module.exports));
    this.#modules.set(path, module.exports);
    return module.exports;
  }

  /** The lines of the project in a stack, the innermost first. */
  linesOf(stack: string): Line[] {
    return [...stack.matchAll(FRAME)].map(([, path = "", line, column]) => {
      const entry = this.#maps.get(path)?.findEntry(Number(line) - 1, Number(column) - 1);
      const original = entry && "originalLine" in entry ? entry.originalLine + 1 : 0;
      return `${path}:${original}`;
    });
  }
}
