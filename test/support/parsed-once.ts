/** Programs of the compiler that share what they have in common: the files of this checkout. */
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The checkout's folder, with a slash at its end. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** These say what is reported of a file, not how it is parsed. */
const OF_REPORTS = ["noUnusedLocals", "noUnusedParameters", "noImplicitReturns"];

/** The files of the checkout as they were parsed, by the settings that they were parsed with. */
const parsed = new Map<string, Map<string, ts.SourceFile | undefined>>();

/** A host whose files of the checkout are parsed once for all programs with such settings of this process. */
export function sharedHost(settings: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(settings);
  const getSourceFile = host.getSourceFile.bind(host);
  const parsing = Object.entries(settings).filter(([name]) => !OF_REPORTS.includes(name));
  const key = JSON.stringify(parsing.sort());
  const files = parsed.get(key) ?? new Map<string, ts.SourceFile | undefined>();
  parsed.set(key, files);
  host.getSourceFile = (path, ...rest) => {
    if (!path.startsWith(ROOT)) return getSourceFile(path, ...rest);
    if (!files.has(path)) files.set(path, getSourceFile(path, ...rest));
    return files.get(path);
  };
  return host;
}

/** A program of files that shares those of the checkout. */
export const programOfFiles = (
  files: readonly string[],
  settings: ts.CompilerOptions,
): ts.Program => ts.createProgram(files, settings, sharedHost(settings));
