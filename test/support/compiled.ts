/** What the compiler says to modules that are not in any file: code of documents, and code with a mistake in it. */
import ts from "typescript";
import { packageEntries } from "../../scripts/make/api/package-entries.ts";
import { ROOT, sharedHost } from "./parsed-once.ts";

export { ROOT };

/** The source of each entry of the package, by the name that users import. */
export const ENTRIES: Readonly<Record<string, string>> = Object.fromEntries(
  packageEntries(ROOT).map(({ specifier, source }) => [specifier, ROOT + source]),
);

/** The project's own settings, with the package's entries under their public names, and changes of them. */
export function settingsWith(changes: ts.CompilerOptions = {}): ts.CompilerOptions {
  const read = ts.readConfigFile(`${ROOT}tsconfig.json`, (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, ROOT);
  return {
    ...options,
    noEmit: true,
    composite: false,
    incremental: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    paths: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, [path]])),
    ...changes,
  };
}

/**
 * A program of modules that need not be files.
 *
 * @param modules - the text of each, by its path in the checkout, from where its imports are looked for
 */
export function programOf(
  modules: ReadonlyMap<string, string>,
  settings: ts.CompilerOptions = settingsWith(),
): ts.Program {
  const texts = new Map([...modules].map(([path, text]) => [ROOT + path, text]));
  const host = sharedHost(settings);
  const fileExists = host.fileExists.bind(host);
  const folders = [...texts.keys()].map((path) => path.slice(0, path.lastIndexOf("/")));
  const directoryExists = (path: string): boolean =>
    ts.sys.directoryExists(path) ||
    folders.some((folder) => `${folder}/`.startsWith(`${path.replace(/\/$/, "")}/`));
  const getSourceFile = host.getSourceFile.bind(host);
  host.directoryExists = directoryExists;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.getSourceFile = (path, target, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? getSourceFile(path, target, ...rest)
      : ts.createSourceFile(path, text, target);
  };
  return ts.createProgram([...texts.keys()], settings, host);
}

/** What is wrong with one file of a program: its line and the compiler's words. */
export function problemsIn(program: ts.Program, path: string): string[] {
  const file = program.getSourceFile(ROOT + path);
  if (!file) throw new Error(`${path} is not in the program`);
  const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  return found.map(({ start = 0, messageText }) => {
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    return `${path}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}
