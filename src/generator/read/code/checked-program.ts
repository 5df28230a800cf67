/**
 * The program with types that is made when the checker has to be asked, and never otherwise.
 *
 * Its files are those that the reader parsed, so that a node of one is a node of the other. The scalars of `tsop`
 * are served with a mark of their names, which the checker carries through whatever it computes: to TypeScript,
 * `Int32` is `number` and nothing more.
 */
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ts } from "../../load.ts";
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

/** The parameter that carries the name of a scalar: what it is added to stays assignable to and from the plain type. */
export const SCALAR_PARAMETER = "tsopScalar";

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
      if (tsop !== undefined && isScalars(path, tsop)) {
        return sharedFile(path, markedScalars(disk.getText(path)), settings);
      }
      const isShared = dirname(path) === library || (tsop !== undefined && isBelow(path, tsop));
      return isShared ? sharedFile(path, disk.getText(path), settings) : fileAt(path);
    };
    if (library !== undefined) {
      host.getDefaultLibLocation = () => library;
      host.getDefaultLibFileName = (settings) => join(library, ts.getDefaultLibFileName(settings));
    }
    return ts.createProgram(roots, options, host, this.#program);
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

/** Whether a path is below a folder. */
export const isBelow = (path: string, folder: string): boolean =>
  path
    .split(sep)
    .join("/")
    .startsWith(`${folder.split(sep).join("/").replace(/\/$/, "")}/`);

const isScalars = (path: string, tsop: string): boolean =>
  /^scalars\.(?:d\.)?ts$/.test(basename(path)) && isBelow(path, tsop);

/**
 * `type Int32 = number` with a mark of its name that types keep: numbers and texts have a `valueOf`
 * without parameters.
 */
const markedScalars = (text: string): string =>
  text.replace(/^export (?:declare )?type (\w+) = ([^;]+);/gm, (_, name: string, type: string) => {
    const parts = type.split("|").map((part) => part.trim());
    const marked = parts.map(
      (part) => `(${part} & { valueOf(${SCALAR_PARAMETER}?: "${name}"): ${part} })`,
    );
    return `export type ${name} = ${marked.join(" | ")};`;
  });
