import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineCounter, parse, stringify } from "yaml";
import {
  CORE_RULES,
  parseYaml,
  YamlProblem,
  type YamlLimits,
  YamlValues,
} from "../../../src/kube/text/bounded-yaml.ts";

const LIMITS = { tokens: 10_000, depth: 20, aliased: 50 };
const WIDE = { tokens: 1_000_000, depth: 100, aliased: 100_000 };
const MEGABYTE = 1_000_000;

function read(text: string, limits: YamlLimits = LIMITS): unknown {
  const [document] = parseYaml(text, new LineCounter(), { limits });
  return new YamlValues(limits, CORE_RULES).read(document?.contents);
}

function faultOf(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof YamlProblem) return `${error.message} at ${error.offset}`;
    throw error;
  }
  throw new Error("the text was taken");
}

describe("Bounded YAML", () => {
  it.each([
    ["escapes that do not exist", `"${String.raw`\z`.repeat(MEGABYTE / 2)}"`],
    ["carriage returns that are escaped", `"${"\\\r".repeat(MEGABYTE / 2)}"`],
    ["lines of a quoted text that are not indented", `a: "${"\\\n".repeat(MEGABYTE / 2)}"`],
    ["words after a quote that is not closed", `a: "b\n${"c: d\n".repeat(MEGABYTE / 5)}`],
    ["commas without values", `[${",".repeat(5000)}]`],
    ["brackets that close nothing", "}]\n".repeat(3000)],
  ])("keeps a hundred mistakes of a text that has more: %s", (_what, text) => {
    const [document] = parseYaml(text, new LineCounter(), { limits: LIMITS });
    expect(document?.errors.length).toBeGreaterThan(0);
    // One of each of the parts that report them: the parser and the composer.
    expect(document?.errors.length).toBeLessThanOrEqual(202);
  });

  it("keeps a mistake behind any number of warnings", () => {
    const text = `${"- !unknown a\n".repeat(1000)}- "\\z"\n`;
    const [document] = parseYaml(text, new LineCounter(), { limits: LIMITS });
    expect(document?.warnings).toHaveLength(100);
    expect(document?.errors).toHaveLength(1);
  });

  it.each([
    ["tokens", "- a\n".repeat(5000), /^tokens at \d+$/],
    ["levels", "[".repeat(5000), /^depth at \d+$/],
    ["levels of pairs in brackets", `${"[a: ".repeat(15)}b${"]".repeat(15)}`, /^depth at \d+$/],
    ["values by aliases", `a: &a [1, 2, 3, 4]\nb: [${"*a, ".repeat(20)}]`, /^aliased at \d+$/],
    ["texts by aliases", `a: &a ${"x".repeat(300)}\nb: [*a, *a, *a]`, /^aliased at \d+$/],
    [
      "texts of keys by aliases",
      `a: &a {${"x".repeat(300)}: 1}\nb: [*a, *a, *a]`,
      /^aliased at \d+$/,
    ],
    ["aliases in circles", "a: &a [*a]", /^circular anchor a at 7$/],
    ["aliases to nothing", "a: *b", /^unknown anchor b at 3$/],
    ["keys that are there twice", "a: 1\n? a\n: 2", /^repeated key a at 7$/],
    ["keys that are no text", "? [a]\n: 1", /^key at 2$/],
    ["merges of texts", "<<: a", /^merge at 4$/],
  ])("refuses %s", (_what, text, fault) => {
    expect(faultOf(text)).toMatch(fault);
  });

  it("reads what the yaml package reads", () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(value, value, (one, other) => {
        const text = stringify([one, other, one], { lineWidth: 0 });
        expect(read(text, WIDE)).toEqual(parse(text, { maxAliasCount: -1 }));
      }),
      { numRuns: 300, seed: 3 },
    );
  });

  it.each([
    "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: {y: 4, <<: *a}",
    "a: &a {x: 1}\nb: &b {x: 2, z: 3}\nc: {<<: [*a, *b], k: *a}",
    'a: &a 1\nb: &a 2\nc: *a\n"<<": d',
    "1: a\ntrue: b\nnull: c\n",
  ])("reads aliases, merges and keys as the yaml package does: %j", (text) => {
    expect(read(text)).toEqual(parse(text, { merge: true }));
  });
});
