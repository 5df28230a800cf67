import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const fixture = fileURLToPath(new URL("fixtures/typed.ts", import.meta.url));

/** What the compiler says to the fixture, in which every mistake is announced. */
function complaints(experimentalDecorators: boolean): string[] {
  const config = ts.getParsedCommandLineOfConfigFile(
    fileURLToPath(new URL("../../tsconfig.json", import.meta.url)),
    { experimentalDecorators },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  const program = ts.createProgram([fixture], {
    ...config!.options,
    noUnusedLocals: false,
    noEmit: true,
  });
  const file = program.getSourceFile(fixture);
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
    ({ messageText, start = 0 }) => {
      const { line } = file!.getLineAndCharacterOfPosition(start);
      return `${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    },
  );
}

describe("markers", () => {
  it("are checked against their field as standard decorators", () => {
    expect(complaints(false)).toEqual([]);
  });

  it("are checked against their field under experimentalDecorators", () => {
    expect(complaints(true)).toEqual([]);
  });
});
