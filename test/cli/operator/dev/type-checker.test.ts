import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { systemClock } from "../../../../src/clock.ts";
import type { CliContext } from "../../../../src/cli/context.ts";
import { TypeChecker } from "../../../../src/cli/operator/dev/type-checker.ts";
import { emptyFolder } from "../../support/run-cli.ts";

const MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

function contextIn(cwd: string, lines: string[]): CliContext {
  return {
    cwd,
    env: {},
    interactive: false,
    color: false,
    clock: systemClock,
    out: (line) => lines.push(line),
    err: (line) => lines.push(line),
    detail: () => undefined,
    doing: () => undefined,
    untilInterrupted: () => new AbortController().signal,
  };
}

describe("TypeChecker", () => {
  it("tells each mistake with its place, and when all of them are gone", async () => {
    const root = emptyFolder();
    const lines: string[] = [];
    const seen = (...expected: unknown[]): Promise<void> =>
      eventually(() => {
        expect(lines).toEqual(expected);
      });
    symlinkSync(MODULES, join(root, "node_modules"), "junction");
    writeFileSync(join(root, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(root, "tsconfig.json"),
      '{ "compilerOptions": { "strict": true, "types": [], "lib": ["es5"] }, "files": ["a.ts"] }',
    );
    writeFileSync(join(root, "a.ts"), "export const a: { b: number } = { b: 'c' };\n");
    const checker = TypeChecker.start(root, contextIn(root, lines));
    onTestFinished(() => checker?.stop());
    const mistake = "a.ts:1:35 TS2322: Type 'string' is not assignable to type 'number'.";
    const count = "types: 1 error; the operator runs all the same";
    await eventually(() => {
      expect(lines.at(-1)).toBe(count);
    });
    expect(lines.filter((line) => !line.startsWith(" "))).toEqual([mistake, count]);
    lines.length = 0;
    writeFileSync(join(root, "a.ts"), "export const a: { b: number } = { b: 1 };\n");
    await seen("types: all errors are fixed");
  });

  it("leaves out what was told already, such as a mistake of syntax", async () => {
    const root = emptyFolder();
    const lines: string[] = [];
    symlinkSync(MODULES, join(root, "node_modules"), "junction");
    writeFileSync(join(root, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(root, "tsconfig.json"),
      '{ "compilerOptions": { "strict": true, "types": [], "lib": ["es5"] }, "files": ["a.ts"] }',
    );
    writeFileSync(join(root, "a.ts"), "export const a = ;\n");
    const asked: string[] = [];
    const checker = TypeChecker.start(root, contextIn(root, lines), (place) => {
      asked.push(place);
      return place === "a.ts:1";
    });
    onTestFinished(() => checker?.stop());
    await eventually(() => expect(asked).toEqual(["a.ts:1"]));
    writeFileSync(join(root, "a.ts"), "export const a =\n  1;\nexport const b: number = 'c';\n");
    await eventually(() => {
      expect(lines).toEqual([
        "a.ts:3:14 TS2322: Type 'string' is not assignable to type 'number'.",
        "types: 1 error; the operator runs all the same",
      ]);
    });
    // Told elsewhere: nothing is said, and nothing is gone.
    writeFileSync(join(root, "a.ts"), "export const a = ;\n");
    await eventually(() => expect(asked.at(-1)).toBe("a.ts:1"));
    writeFileSync(join(root, "a.ts"), "export const a = 1;\n");
    await eventually(() => expect(lines[2]).toBe("types: all errors are fixed"));
    expect(asked.filter((place) => place === "a.ts:1")).toHaveLength(2);
  });

  it("says that it has nothing to check with", () => {
    const root = emptyFolder();
    const lines: string[] = [];
    writeFileSync(join(root, "package.json"), "{}");
    expect(TypeChecker.start(root, contextIn(root, lines))).toBeUndefined();
    expect(lines).toEqual([expect.stringContaining("node_modules has no typescript")]);
  });
});
