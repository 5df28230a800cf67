/** The code of a scaffolded project, compiled as its user compiles it. */
import { join } from "node:path";
import ts from "typescript";
import { filesIn } from "./run-cli.ts";

/** What the compiler says of all files, with the libraries of this checkout. */
export function typeErrors(root: string): string[] {
  const checkout = join(import.meta.dirname, "../../..");
  const paths = Object.keys(filesIn(root)).filter((path) => path.endsWith(".ts"));
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (path) =>
    ts.sys.readFile(path),
  ) as {
    config: { compilerOptions: Record<string, unknown> };
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = programOf(
    paths.map((path) => join(root, path)),
    {
      ...options,
      typeRoots: [join(checkout, "node_modules/@types")],
      paths: {
        tsop: [join(checkout, "src/index.ts")],
        "tsop/k8s": [join(checkout, "src/k8s.ts")],
        "tsop/plugin": [join(checkout, "src/plugin.ts")],
        "tsop/testing": [join(checkout, "src/testing.ts")],
        "tsop/testing/vitest": [join(checkout, "src/testing-vitest.ts")],
        vitest: [join(checkout, "node_modules/vitest/dist/index.d.ts")],
      },
    },
    checkout,
  );
  return paths
    .flatMap((path) => {
      const file = program.getSourceFile(join(root, path));
      return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    })
    .map(
      ({ file, messageText }) =>
        `${file?.fileName.slice(root.length)}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
}

/** The files of the checkout as they were parsed, by the settings that they were parsed with. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** A program whose files of the checkout are parsed once for all programs of this process. */
function programOf(
  files: readonly string[],
  settings: ts.CompilerOptions,
  checkout: string,
): ts.Program {
  const host = ts.createCompilerHost(settings);
  const getSourceFile = host.getSourceFile.bind(host);
  const own = JSON.stringify(settings);
  host.getSourceFile = (path, languageVersion, ...rest) => {
    if (!path.startsWith(checkout)) return getSourceFile(path, languageVersion, ...rest);
    const key = `${path} ${JSON.stringify(languageVersion)} ${own}`;
    if (!parsed.has(key)) parsed.set(key, getSourceFile(path, languageVersion, ...rest));
    return parsed.get(key);
  };
  return ts.createProgram(files, settings, host);
}
