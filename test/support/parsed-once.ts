/** Programs of the compiler that share what they have in common: the files of this checkout. */
import { fileURLToPath } from "node:url";
import ts from "typescript";

const CHECKOUT = fileURLToPath(new URL("../../", import.meta.url));

/** The files of the checkout as they were parsed, by the settings that they were parsed with. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** A program whose files of the checkout are parsed once for all programs with such settings of this process. */
export function programOf(files: readonly string[], settings: ts.CompilerOptions): ts.Program {
  const host = ts.createCompilerHost(settings);
  const getSourceFile = host.getSourceFile.bind(host);
  const own = JSON.stringify(settings);
  host.getSourceFile = (path, languageVersion, ...rest) => {
    if (!path.startsWith(CHECKOUT)) return getSourceFile(path, languageVersion, ...rest);
    const key = `${path} ${JSON.stringify(languageVersion)} ${own}`;
    if (!parsed.has(key)) parsed.set(key, getSourceFile(path, languageVersion, ...rest));
    return parsed.get(key);
  };
  return ts.createProgram(files, settings, host);
}
