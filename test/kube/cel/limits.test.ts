/** How deep and how long an expression may be: the answers of a kube-apiserver v1.36.3. */
import { describe, expect, it } from "vitest";
import { Expression, compileExpression } from "../../../src/kube/cel/compile.ts";
import { formatIssues } from "../../../src/kube/cel/issues.ts";
import { kubernetesEnvironment } from "../../../src/kube/cel/libraries.ts";
import { parse } from "../../../src/kube/cel/syntax/parser.ts";
import { STRING } from "../../../src/kube/cel/types.ts";

/** What is said of a text; empty when it is sound. */
function said(source: string): string {
  const parsed = parse(source, []);
  return "issues" in parsed ? formatIssues(source, parsed.issues) : "";
}

const NESTED = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
const HIGH = "ERROR: <input>:-1:0: max recursion depth exceeded";

/** A shape, how often it may be repeated, and what is said of one more. */
const SHAPES: readonly (readonly [string, (count: number) => string, number, string])[] = [
  ["parentheses", (count) => "(".repeat(count) + "true" + ")".repeat(count), 249, NESTED],
  ["conditions", (count) => `${"true?true:".repeat(count)}true`, 249, NESTED],
  ["conditions inside", (count) => "true?(".repeat(count) + "1" + "):1".repeat(count), 249, NESTED],
  ["negations", (count) => "!(".repeat(count) + "true" + ")".repeat(count), 249, NESTED],
  ["lists", (count) => `${"[".repeat(count)}1${"]".repeat(count)}`, 249, NESTED],
  ["maps", (count) => `${"{1:".repeat(count)}1${"}".repeat(count)}`, 249, NESTED],
  ["calls", (count) => `${"size(".repeat(count)}'a'${")".repeat(count)}`, 249, NESTED],
  ["sums inside", (count) => `${"(1+".repeat(count)}1${")".repeat(count)} > 0`, 124, NESTED],
  ["sums", (count) => `1${"+1".repeat(count)} > 0`, 249, HIGH],
  ["products", (count) => `1${"*1".repeat(count)} > 0`, 249, HIGH],
  ["fields", (count) => `a${".b".repeat(count)} > 0`, 249, HIGH],
  ["methods", (count) => `'a'${".trim()".repeat(count)} == 'a'`, 249, HIGH],
  ["indices", (count) => `a${"[0]".repeat(count)} == 1`, 249, HIGH],
  ["comparisons", (count) => `true${"==true".repeat(count)}`, 250, HIGH],
];

describe("Limits of expressions", () => {
  for (const [name, make, most, refusal] of SHAPES) {
    it(`are reached after ${most} ${name}`, () => {
      expect(said(make(most))).toBe("");
      expect(said(make(most + 1))).toBe(refusal);
    });
  }

  it("do not count what one operator chains, nor signs", () => {
    expect(said(`true${"||true".repeat(2_000)}`)).toBe("");
    expect(said(`${"!".repeat(2_000)}true`)).toBe("");
    expect(said(`${"-".repeat(2_000)}1 < 5`)).toBe("");
  });

  it("hold for what is read after a mistake, too", () => {
    expect(said(`f(1 2) + ${"(".repeat(300)}`).split("\n")[0]).toBe(NESTED);
  });

  it("end the search for more mistakes", () => {
    expect(said("f(1 2)+".repeat(124) + "1")).toContain(
      "ERROR: <input>:1:215: Syntax error: error recovery attempt limit exceeded: 30",
    );
    expect(said(`1 1${"(".repeat(260)}`)).toMatch(
      /^ERROR: <input>:-1:0: error recovery token lookahead limit exceeded: 256\nERROR: <input>:1:3: Syntax error: mismatched input '1' expecting <EOF>/,
    );
    expect(said(`1 1${"(".repeat(251)}`)).toMatch(/^ERROR: <input>:1:3: /);
    expect(said("@ ".repeat(200))).toMatch(/\n1 more errors were truncated$/);
  });

  it("leave a mistake at the end of a long text to be found in time", { timeout: 60_000 }, () => {
    expect(said(`a${"&&a".repeat(8_000)}&&`)).toContain("mismatched input '<EOF>'");
    expect(said(`{1:1${",1:1".repeat(1_500)}`)).toContain("mismatched input '<EOF>'");
  });
});

describe("A text that would be longer than memory", () => {
  const environment = kubernetesEnvironment.withVariables({ text: STRING });
  const text = "a".repeat(100_000);

  for (const source of [
    "text.replace('a', text).size() > 0",
    "text.replace('', text).size() > 0",
    "text.split('').map(x, text).join('').size() > 0",
    "text.split('').map(x, 'a').join(text).size() > 0",
    `'${"%s".repeat(10_000)}'.format([${Array.from({ length: 10_000 }, () => "text").join(",")}]).size() > 0`,
  ]) {
    it(`costs more than any evaluation may: ${source.slice(0, 50)}`, () => {
      const compiled = compileExpression(source, environment);
      if (!(compiled instanceof Expression)) throw new Error(compiled.message);
      const { stopped, result } = compiled.evaluate((name) => (name === "text" ? text : undefined));
      expect(stopped).toBe(true);
      expect(result).toMatchObject({
        message: "operation cancelled: actual cost limit exceeded",
      });
    });
  }
});
