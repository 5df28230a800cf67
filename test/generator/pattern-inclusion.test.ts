/** The search for a text that only one of two patterns takes, against the matcher of the API server's syntax. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textOnlyIn } from "../../src/generator/changes/pattern-inclusion.ts";
import { matchesPattern } from "../../src/kube/cel/patterns.ts";

const atom = fc.constantFrom(
  "a",
  "b",
  "[ab]",
  "[^a]",
  "\\w",
  "\\d",
  ".",
  "(?i:A)",
  "\\b",
  "^",
  "$",
  "(?m:$)",
  "\\n",
  "é",
);

const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    atom,
    fc.array(tie("pattern"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map((both) => `(?:${both.join("|")})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}"))
      .map(([inner, many]) => `(?:${inner})${many}`),
  ),
}));

const text = fc.string({
  unit: fc.constantFrom("a", "b", "A", "B", "0", "_", " ", "é", "\n"),
  maxLength: 6,
});

describe("a text that only one of two patterns takes", () => {
  it("is one, and where there is none, no text is", () => {
    const seen = { text: 0, none: 0 };
    fc.assert(
      fc.property(pattern, pattern, fc.array(text, { maxLength: 40 }), (before, after, texts) => {
        const only = (candidate: string): boolean =>
          matchesPattern(candidate, before) === true && matchesPattern(candidate, after) === false;
        const found = textOnlyIn(before, after);
        if (typeof found === "object") {
          seen.text++;
          expect(only(found.text)).toBe(true);
          expect(texts.filter(only).every(({ length }) => length >= found.text.length)).toBe(true);
        } else if (found === "none") {
          seen.none++;
          expect(texts.filter(only)).toEqual([]);
        }
      }),
      { numRuns: 2000, seed: 20261128 },
    );
    expect(seen.text).toBeGreaterThan(300);
    expect(seen.none).toBeGreaterThan(300);
  });

  it("gives up where the patterns have too many states, or are none", () => {
    expect(textOnlyIn("(a|b)*a(a|b){14}c$", "(a|b)*b(a|b){14}d$|x")).not.toBe("none");
    expect(textOnlyIn("(", "a")).toBe("unknown");
  });
});
