/**
 * The program with types that is made when the checker has to be asked, and never otherwise.
 *
 * Its files are those that the reader parsed, so that a node of one is a node of the other.
 */
import { dirname, join, sep } from "node:path";
import { ts } from "../../load.ts";
import { installBrands, keepingKeywords } from "./brands.ts";
import { createHost, type Disk } from "./disk.ts";

export interface ProgramParts {
  readonly root: string;
  readonly options: ts.CompilerOptions;
  readonly disk: Disk;
  /** The project's files: with all of them from the start the program is made once. */
  readonly sources: readonly string[];
  /** The file at a path as the reader parsed it. */
  readonly fileAt: (path: string) => ts.SourceFile;
}

/** A program that grows with what is asked of it. */
export class CheckedProgram {
  readonly #parts: ProgramParts;
  #program: ts.Program | undefined;

  constructor(parts: ProgramParts) {
    this.#parts = parts;
  }

  /**
   * The type checker for a file. It costs a second or more.
   *
   * The library's declarations are those of the project's own `typescript`; without one, types of the library
   * are unknown to it.
   */
  checkerFor(file: ts.SourceFile): ts.TypeChecker {
    if (this.#program?.getSourceFile(file.fileName) !== file) {
      const roots = this.#program?.getRootFileNames() ?? this.#parts.sources;
      this.#program = this.#create([...new Set([...roots, file.fileName])]);
      this.#brand(this.#program);
    }
    return this.#program.getTypeChecker();
  }

  #create(roots: readonly string[]): ts.Program {
    const { options: own, disk, fileAt } = this.#parts;
    const library = this.#folderOf("typescript");
    const options: ts.CompilerOptions = {
      ...own,
      strict: true,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      ...(library === undefined ? { noLib: true } : {}),
    };
    const host = createHost(options, disk);
    const read = host.getSourceFile.bind(host);
    const tsop = this.#folderOf("tsop");
    host.getSourceFile = (path, settings, ...rest) => {
      if (library !== undefined && dirname(path) === library) return read(path, settings, ...rest);
      if (!/\.[cm]?tsx?$/.test(path) || !disk.fileExists(path))
        return read(path, settings, ...rest);
      if (isOf(tsop, path, "constrained")) {
        return ts.createSourceFile(path, keepingKeywords(disk.getText(path)), settings, true);
      }
      return fileAt(path);
    };
    if (library !== undefined) {
      host.getDefaultLibLocation = () => library;
      host.getDefaultLibFileName = (settings) => join(library, ts.getDefaultLibFileName(settings));
    }
    return ts.createProgram(roots, options, host, this.#program);
  }

  #brand(program: ts.Program): void {
    const checker = program.getTypeChecker();
    const tsop = this.#folderOf("tsop");
    const files = program.getSourceFiles();
    const named = (name: string): ts.SourceFile | undefined =>
      files.find(({ fileName }) => isOf(tsop, fileName, name));
    installBrands(checker, {
      scalars: named("scalars"),
      constrained: named("constrained"),
      own: files.filter(
        (file) => !program.isSourceFileDefaultLibrary(file) && !isOf(tsop, file.fileName),
      ),
    });
  }

  #folderOf(specifier: string): string | undefined {
    const { root, options, disk } = this.#parts;
    const { resolvedModule } = ts.resolveModuleName(
      specifier,
      join(root, "index.ts"),
      { ...options, moduleResolution: ts.ModuleResolutionKind.Bundler },
      disk,
    );
    return resolvedModule && dirname(resolvedModule.resolvedFileName);
  }
}

/** Whether a file is of the package `tsop`, and has this name. */
function isOf(tsop: string | undefined, path: string, name = ".*"): boolean {
  const file = path.split(sep).join("/");
  return (
    tsop !== undefined &&
    file.startsWith(`${tsop.split(sep).join("/")}/`) &&
    new RegExp(`/${name}(?:\\.d)?\\.ts$`).test(file)
  );
}
