/** A project in memory, on whose files the generator and TypeScript agree. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import ts from "typescript";

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  experimentalDecorators: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
};

/** The folder of a project, with the packages that its files import. */
export class Project {
  readonly root = mkdtempSync(join(tmpdir(), "tsop-types-"));
  readonly #host: ts.CompilerHost;
  /** The files of packages, which are the same in all programs. */
  readonly #kept = new Map<string, ts.SourceFile>();
  /** The files of the last program. */
  readonly #parsed = new Map<string, ts.SourceFile>();
  #files: ReadonlyMap<string, string> = new Map();

  constructor() {
    for (const folder of ["node_modules", "src"]) mkdirSync(join(this.root, folder));
    for (const [name, target] of [
      ["tsop", "."],
      ["typescript", "node_modules/typescript"],
    ] as const) {
      symlinkSync(resolve(target), join(this.root, "node_modules", name));
    }
    writeFileSync(join(this.root, "package.json"), `{ "type": "module" }`);
    writeFileSync(
      join(this.root, "tsconfig.json"),
      `{ "compilerOptions": { "strict": true, "target": "es2022", "module": "nodenext", "experimentalDecorators": true, "allowImportingTsExtensions": true, "noEmit": true, "types": [] } }`,
    );
    this.#host = this.#createHost();
  }

  /** The path of a source. */
  pathOf(name: string): string {
    return join(this.root, "src", name);
  }

  /** A program of files by path. */
  programOf(files: ReadonlyMap<string, string>, before?: ts.Program): ts.Program {
    this.#files = files;
    return ts.createProgram([...files.keys()], OPTIONS, this.#host, before);
  }

  /** Removes the folder. */
  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #createHost(): ts.CompilerHost {
    const host = ts.createCompilerHost(OPTIONS, true);
    const readFile = host.readFile.bind(host);
    const fileExists = host.fileExists.bind(host);
    const getSourceFile = host.getSourceFile.bind(host);
    host.readFile = (path) => this.#files.get(path) ?? readFile(path);
    host.fileExists = (path) => this.#files.has(path) || fileExists(path);
    host.getSourceFile = (path, options, ...rest) => {
      const own = this.#files.get(path);
      if (own !== undefined) {
        const parsed = this.#parsed.get(path);
        if (parsed?.text === own) return parsed;
        const file = ts.createSourceFile(path, own, options, true);
        this.#parsed.set(path, file);
        return file;
      }
      const kept = this.#kept.get(path) ?? getSourceFile(path, options, ...rest);
      if (kept) this.#kept.set(path, kept);
      return kept;
    };
    return host;
  }
}
