/** The lint: every mistake of `fixtures/planted.ts` is reported, at its line, by the rule that its comment names. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const FIXTURES = fileURLToPath(new URL("fixtures/", import.meta.url));
const OXLINT = fileURLToPath(new URL("../../node_modules/oxlint/bin/oxlint", import.meta.url));

interface Report {
  readonly diagnostics: readonly {
    readonly code: string;
    readonly labels: readonly { readonly span: { readonly line: number } }[];
  }[];
}

/** Each line with the rules that reported it, as `12: no-empty typescript/return-await`. */
function reported(): string[] {
  const args = [OXLINT, "-c", "oxlintrc.json", "-f", "json", "planted.ts"];
  let output: string;
  try {
    output = execFileSync(process.execPath, args, { cwd: FIXTURES, encoding: "utf8" });
  } catch (error) {
    output = String((error as { stdout: unknown }).stdout);
  }
  const rules = new Map<number, Set<string>>();
  for (const { code, labels } of (JSON.parse(output) as Report).diagnostics) {
    const line = labels[0]?.span.line ?? 0;
    const rule = code.replace(/^([\w-]+)\((.+)\)$/, "$1/$2").replace(/^eslint\//, "");
    rules.set(line, (rules.get(line) ?? new Set()).add(rule));
  }
  return [...rules]
    .sort(([a], [b]) => a - b)
    .map(([line, found]) => `${line}: ${[...found].sort().join(" ")}`);
}

it("reports each planted mistake, and only those", () => {
  const planted = readFileSync(`${FIXTURES}planted.ts`, "utf8")
    .split("\n")
    .slice(1) // the first line says what the file is
    .flatMap((text, index) => {
      const rules = / \/\/ ([a-z/ -]+)$/.exec(text)?.[1];
      return rules === undefined ? [] : [`${index + 2}: ${rules}`];
    });
  expect(planted.length).toBeGreaterThan(45);
  expect(reported()).toEqual(planted);
});
