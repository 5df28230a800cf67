/** The code of a scaffolded project, compiled as its user compiles it. */
import { join } from "node:path";
import ts from "typescript";
import { programOfFiles } from "../../support/parsed-once.ts";
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
  const program = programOfFiles(
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
