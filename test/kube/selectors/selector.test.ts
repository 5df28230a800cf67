import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  SelectorError,
  matchesFields,
  matchesLabelSelector,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from "../../../src/kube/selectors/selector.ts";

const selects = (selector: string, labels: Record<string, string>): boolean =>
  matchesLabels(parseLabelSelector(selector), labels);

describe("A label selector", () => {
  it.each([
    ["rank=captain", { rank: "captain" }, true],
    ["rank==captain", { rank: "ensign" }, false],
    ["rank!=captain", {}, true],
    ["rank", { rank: "" }, true],
    ["!rank", { rank: "" }, false],
    ["rank in (captain, ensign)", { rank: "ensign" }, true],
    ["rank in ()", { rank: "" }, true],
    ["rank notin (captain)", {}, true],
    ["rank notin (captain)", { rank: "captain" }, false],
    ["years > 4", { years: "5" }, true],
    ["years < 4", { years: "5" }, false],
    ["years > 4", { years: "many" }, false],
    ["a=b,c", { a: "b" }, false],
    ["", { anything: "goes" }, true],
  ])("%s against %j is %s", (selector, labels, expected) => {
    expect(selects(selector, labels as Record<string, string>)).toBe(expected);
  });

  it("is not taken in by names of Object's own", () => {
    expect(selects("constructor", {})).toBe(false);
    expect(selects("!toString", {})).toBe(true);
  });

  it.each(["a=b=c", "a in b", "(", "a in (b", "=b", "a,,b", "a > x"])(
    "%s cannot be understood, and the error says so",
    (selector) => {
      expect(() => parseLabelSelector(selector)).toThrow(SelectorError);
    },
  );

  it("never fails in another way, whatever the text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseLabelSelector(text);
        } catch (error) {
          expect(error).toBeInstanceOf(SelectorError);
        }
      }),
    );
  });
});

describe("A selector in an object", () => {
  it("selects nothing when absent, everything when empty", () => {
    expect(matchesLabelSelector(undefined, { a: "b" })).toBe(false);
    expect(matchesLabelSelector({}, { a: "b" })).toBe(true);
  });

  it("needs all labels and all expressions", () => {
    const selector = {
      matchLabels: { ship: "enterprise" },
      matchExpressions: [{ key: "rank", operator: "NotIn", values: ["redshirt"] }],
    };
    expect(matchesLabelSelector(selector, { ship: "enterprise" })).toBe(true);
    expect(matchesLabelSelector(selector, { ship: "enterprise", rank: "redshirt" })).toBe(false);
  });

  it("selects nothing with an operator that is unknown", () => {
    const selector = { matchExpressions: [{ key: "a", operator: "Like", values: ["b"] }] };
    expect(matchesLabelSelector(selector, { a: "b" })).toBe(false);
  });
});

describe("A field selector", () => {
  it("compares fields, and unescapes values", () => {
    const requirements = parseFieldSelector(String.raw`metadata.name=a\,b,spec.x!=c`);
    const fields: Record<string, string> = { "metadata.name": "a,b", "spec.x": "d" };
    expect(matchesFields(requirements, (field) => fields[field] ?? "")).toBe(true);
  });
});
