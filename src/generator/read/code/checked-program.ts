/**
 * The program with types that is made when the checker has to be asked, and never otherwise.
 *
 * Its files are those that the reader parsed, so that a node of one is a node of the other.
 */
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
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

/** The declarations of this package, for projects that are not installed. */
const OWN_TYPES = fileURLToPath(new URL("../../../../dist/", import.meta.url));

/**
 * The parsed declarations of libraries by path, target and text: projects and runs share them, with what the binder
 * noted in them.
 */
const libraries = new Map<string, { readonly text: string; readonly file: ts.SourceFile }>();

function sharedFile(
  path: string,
  text: string,
  settings: ts.ScriptTarget | ts.CreateSourceFileOptions,
): ts.SourceFile {
  const { languageVersion, impliedNodeFormat } =
    typeof settings === "object"
      ? settings
      : { languageVersion: settings, impliedNodeFormat: undefined };
  const key = `${languageVersion} ${impliedNodeFormat ?? ""} ${path}`;
  const known = libraries.get(key);
  if (known?.text === text) return known.file;
  const file = ts.createSourceFile(path, text, settings, true);
  libraries.set(key, { text, file });
  return file;
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
    const library = this.folderOf("typescript");
    const tsop = this.folderOf("tsop");
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2023,
      ...own,
      strict: true,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      ...(library === undefined ? { noLib: true } : {}),
      ...(tsop !== undefined && isBelow(join(tsop, "index.d.ts"), OWN_TYPES)
        ? {
            paths: {
              ...own.paths,
              tsop: [join(tsop, "index.d.ts")],
              "tsop/*": [join(tsop, "*.d.ts")],
            },
          }
        : {}),
    };
    const host = createHost(options, disk);
    const read = host.getSourceFile.bind(host);
    host.getSourceFile = (path, settings, ...rest) => {
      if (!/\.[cm]?tsx?$/.test(path) || !disk.fileExists(path))
        return read(path, settings, ...rest);
      if (isOf(tsop, path, "constrained")) {
        return ts.createSourceFile(path, keepingKeywords(disk.getText(path)), settings, true);
      }
      // The symbols of scalars are those of one checker.
      const isShared =
        dirname(path) === library || (isOf(tsop, path) && !isOf(tsop, path, "scalars"));
      return isShared ? sharedFile(path, disk.getText(path), settings) : fileAt(path);
    };
    if (library !== undefined) {
      host.getDefaultLibLocation = () => library;
      host.getDefaultLibFileName = (settings) => join(library, ts.getDefaultLibFileName(settings));
    }
    return ts.createProgram(roots, options, host, this.#program);
  }

  #brand(program: ts.Program): void {
    const checker = program.getTypeChecker();
    const tsop = this.folderOf("tsop");
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

  /** The folder of a package's declarations; those beside this package where the project has none. */
  folderOf(specifier: string): string | undefined {
    const { root, options, disk } = this.#parts;
    const settings = { ...options, moduleResolution: ts.ModuleResolutionKind.Bundler };
    for (const folder of [root, OWN_TYPES]) {
      const from = join(folder, "index.ts");
      const { resolvedModule } = ts.resolveModuleName(specifier, from, settings, disk);
      if (resolvedModule) return dirname(resolvedModule.resolvedFileName);
    }
    return undefined;
  }
}

/** Whether a file is of the package `tsop`, and has this name. */
function isOf(tsop: string | undefined, path: string, name = ".*"): boolean {
  return (
    tsop !== undefined &&
    isBelow(path, tsop) &&
    new RegExp(`/${name}(?:\\.d)?\\.ts$`).test(path.split(sep).join("/"))
  );
}

/** Whether a path is below a folder. */
export const isBelow = (path: string, folder: string): boolean =>
  path
    .split(sep)
    .join("/")
    .startsWith(`${folder.split(sep).join("/").replace(/\/$/, "")}/`);
