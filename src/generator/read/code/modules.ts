/**
 * The user's files, and what the names in them stand for.
 *
 * Names are resolved from the syntax alone: no program, no library files, no type check. That is what
 * makes a run quick, and why a type has to be written out where only the checker could compute it.
 */
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Findings } from "../../findings.ts";
import { ts } from "../../load.ts";
import type { BuiltInKind, Position, TypeModel } from "../../model.ts";
import type { Reads } from "../../stamp.ts";
import { BuiltInTypes } from "./built-in-types.ts";
import { CheckedProgram } from "./checked-program.ts";
import type { Disk } from "./disk.ts";
import { type Declaration, type Module, parseModule } from "./module.ts";

/** The meaning of a name: a declaration, or a name of the package `tsop` itself. */
export type Found =
  | { readonly is: "declaration"; readonly node: Declaration; readonly module: Module }
  | { readonly is: "tsop"; readonly name: string }
  | { readonly is: "namespace"; readonly specifier: string; readonly module: Module };

/** What a name is looked up for. */
type Meaning = "type" | "value";

const declarationIn = (module: Module, name: string, as: Meaning): Declaration | undefined =>
  (as === "value" ? module.values.get(name) : undefined) ?? module.declarations.get(name);

/** Reads and keeps modules. Text that did not change is not parsed again. */
export class Modules {
  readonly root: string;
  readonly #parsed = new Map<string, { readonly text: string; readonly module: Module }>();
  readonly #fresh = new Map<string, Module>();
  readonly #disk: Disk;
  readonly #options: ts.CompilerOptions;
  #program: CheckedProgram | undefined;
  #sources: readonly string[] = [];
  readonly #builtIns = new BuiltInTypes();
  /** The modules of built-in types by path and name. */
  readonly #builtInModules = new Map<string, Module>();

  /** The models of built-in declarations, which are the same wherever they are used. */
  readonly builtInModels = new Map<
    Declaration,
    { readonly type: TypeModel; readonly size: number }
  >();

  /** The values of constants and of enums, as far as they are known: the same wherever they are used. */
  readonly constants = new Map<Declaration, unknown>();

  constructor(root: string, options: ts.CompilerOptions, disk: Disk) {
    this.root = root;
    this.#disk = disk;
    this.#options = options;
  }

  /** The files that a program with types has from the start. */
  setSources(paths: Iterable<string>): void {
    this.#sources = [...paths];
  }

  /** Has each file looked at again when it is needed: files may have changed. */
  refresh(): void {
    this.#fresh.clear();
    this.constants.clear();
    this.#disk.forget();
    this.#program = undefined;
  }

  /** All parts of the disk that were looked for and read until now. */
  reads(): Reads {
    for (const { path } of this.#builtInModules.values()) this.#disk.fileExists(path);
    return this.#disk.reads();
  }

  /** Whether there is such a file in the project. */
  has(path: string): boolean {
    return this.#disk.fileExists(join(this.root, path));
  }

  /** The module at an absolute path. */
  get(path: string): Module {
    const fresh = this.#fresh.get(path);
    if (fresh) return fresh;
    const text = this.#disk.getText(path);
    const known = this.#parsed.get(path);
    const module = known?.text === text ? known.module : parseModule(path, text);
    this.#parsed.set(path, { text, module });
    this.#fresh.set(path, module);
    return module;
  }

  /** The type checker for a file of the project: it costs a second or more, and is made when it is asked for. */
  checkerFor({ file }: Module): ts.TypeChecker {
    this.#program ??= new CheckedProgram({
      root: this.root,
      options: this.#options,
      disk: this.#disk,
      sources: this.#sources,
      fileAt: (path) => this.get(path).file,
    });
    return this.#program.checkerFor(file);
  }

  /** The place where a node begins, relative to the project. */
  at(module: Module, node: ts.Node): Position {
    const { line, character } = module.file.getLineAndCharacterOfPosition(
      node.getStart(module.file),
    );
    return { file: this.show(module.path), line: line + 1, column: character + 1 };
  }

  /** A path as the user knows it. */
  show(path: string): string {
    return relative(this.root, path).split(sep).join("/");
  }

  /** Notes the first error of the parser. */
  reportSyntax(module: Module, findings: Findings): void {
    const { parseDiagnostics } = module.file as typeof module.file & {
      readonly parseDiagnostics: readonly ts.DiagnosticWithLocation[];
    };
    // Errors after the first are mostly its echo.
    for (const { start, messageText } of parseDiagnostics.slice(0, 1)) {
      const { line, character } = module.file.getLineAndCharacterOfPosition(start);
      findings.error(
        { file: this.show(module.path), line: line + 1, column: character + 1 },
        "syntax-error",
        ts.flattenDiagnosticMessageText(messageText, " "),
        "Correct the line; the rest of the file is read as far as it goes.",
      );
    }
  }

  /** The meaning of `name` in `module`; of a type and a constant of one name, the type. */
  resolve(module: Module, name: string): Found | undefined {
    return this.#resolve(module, name, new Set(), "type");
  }

  /** The meaning of `name` in an expression: of a type and a constant of one name, the constant. */
  resolveValue(module: Module, name: string): Found | undefined {
    return this.#resolve(module, name, new Set(), "value");
  }

  /** The meaning of `name` in a namespace that `resolve` found. */
  resolveIn(namespace: { specifier: string; module: Module }, name: string): Found | undefined {
    return this.#follow(namespace.module, namespace.specifier, name, new Set(), "type");
  }

  /** The meaning of `name`, in an expression, of a namespace that `resolve` found. */
  resolveValueIn(
    namespace: { specifier: string; module: Module },
    name: string,
  ): Found | undefined {
    return this.#follow(namespace.module, namespace.specifier, name, new Set(), "value");
  }

  /**
   * Resolves a name. `seen` are the exports (file and name) that were asked already: they may lead
   * in a circle.
   */
  #resolve(module: Module, name: string, seen: Set<string>, as: Meaning): Found | undefined {
    const declaration = declarationIn(module, name, as);
    if (declaration) return { is: "declaration", node: declaration, module };
    if (module.builtIn) return this.#beside(module, name);
    const imported = module.imports.get(name);
    if (!imported) return undefined;
    if (imported.name === "*") return { is: "namespace", specifier: imported.specifier, module };
    return this.#follow(module, imported.specifier, imported.name, seen, as);
  }

  #follow(
    from: Module,
    specifier: string,
    name: string,
    seen: Set<string>,
    as: Meaning,
  ): Found | undefined {
    if (specifier === "tsop") {
      return name === "Condition" ? this.#builtIn(name) : { is: "tsop", name };
    }
    if (specifier === "tsop/k8s") return this.#builtIn(name);
    const path = this.#locate(from, specifier);
    return path === undefined ? undefined : this.#exported(this.get(path), name, seen, as);
  }

  #exported(module: Module, name: string, seen: Set<string>, as: Meaning): Found | undefined {
    const asked = `${name} ${module.path}`;
    if (seen.has(asked)) return undefined;
    seen.add(asked);
    const entry = module.exports.get(name);
    if (entry && "local" in entry) return this.#resolve(module, entry.local, seen, as);
    if (entry?.name === "*") return { is: "namespace", specifier: entry.specifier, module };
    if (entry) return this.#follow(module, entry.specifier, entry.name, seen, as);
    const declaration = declarationIn(module, name, as);
    if (declaration) return { is: "declaration", node: declaration, module };
    for (const specifier of module.exportStars) {
      const path = this.#locate(module, specifier);
      const found = path === undefined ? undefined : this.#exported(this.get(path), name, seen, as);
      if (found) return found;
    }
    return undefined;
  }

  /** Whether `tsop/k8s` has a type of that name. */
  isBuiltIn(name: string): boolean {
    return this.#builtIns.find(name) !== undefined;
  }

  /** All kinds of `tsop/k8s`. */
  builtInKinds(): readonly BuiltInKind[] {
    return this.#builtIns.kinds();
  }

  /** The declaration that the built-in file at `path` has of a name. */
  builtInAt(path: string, name: string): Found | undefined {
    return this.#builtIns.has(path) ? this.#declared(name, path) : undefined;
  }

  /** A name of `tsop/k8s`; the scalars (Int32, Quantity, ...) have the same names there and here. */
  #builtIn(name: string): Found {
    return this.#declared(name) ?? { is: "tsop", name };
  }

  /** A name that a built-in declaration uses. */
  #beside({ path }: Module, name: string): Found | undefined {
    const scalar = this.#builtIns.isImported(name, path) && ({ is: "tsop", name } as const);
    return this.#declared(name, path) ?? (scalar || undefined);
  }

  #declared(name: string, from?: string): Found | undefined {
    const found = this.#builtIns.find(name, from);
    if (!found) return undefined;
    const key = `${found.path} ${found.name}`;
    const module = this.#builtInModules.get(key) ?? parseModule(found.path, found.text(), true);
    this.#builtInModules.set(key, module);
    const node = module.declarations.get(name);
    return node && { is: "declaration", node, module };
  }

  #locate(from: Module, specifier: string): string | undefined {
    if (specifier.startsWith(".")) {
      const base = resolve(dirname(from.path), specifier);
      const candidates = [
        base,
        base.replace(/\.([cm]?)js$/, ".$1ts"),
        base.replace(/\.([cm]?)[jt]s$/, ".d.$1ts"),
        `${base}.ts`,
        `${base}.d.ts`,
        join(base, "index.ts"),
        join(base, "index.d.ts"),
      ];
      const found = candidates.find(
        (path) => /\.[cm]?ts$/.test(path) && this.#disk.fileExists(path),
      );
      if (found !== undefined) return found;
    }
    return ts.resolveModuleName(specifier, from.path, this.#options, this.#disk).resolvedModule
      ?.resolvedFileName;
  }
}
