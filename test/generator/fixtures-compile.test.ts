/** The goldens and features are what an author would write: the compiler takes them. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const fixtures = join(root, "test/generator/fixtures");

it("the goldens and features compile", () => {
  const files = readdirSync(fixtures, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.includes("-wrong/"))
    .map((path) => join(fixtures, path));
  expect(files.length).toBeGreaterThan(90);
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, "tsconfig.json"),
    { experimentalDecorators: true, noEmit: true },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  const program = ts.createProgram(files, {
    ...config?.options,
    // What users may switch off; fixtures have enums and unused members.
    noUnusedLocals: false,
    erasableSyntaxOnly: false,
    paths: { tsop: [join(root, "src/index.ts")], "tsop/k8s": [join(root, "src/k8s.ts")] },
  });
  const found = files.flatMap((path) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
  });
  expect(found).toEqual([]);
}, 60_000);
