import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readYaml } from "../../../../src/controlplane/wire/bodies/yaml-reader.ts";
import { WireError } from "../../../../src/controlplane/wire/json/wire-error.ts";

/** A text, and what sigs.k8s.io/yaml v1.6.0 made of it. */
type Sample = readonly [
  text: string,
  answer: { readonly value?: unknown; readonly error?: string },
];

const samples = JSON.parse(
  readFileSync(new URL("yaml-answers.json", import.meta.url), "utf8"),
) as Sample[];

function answerTo(bytes: Buffer): Sample[1] {
  try {
    return { value: readYaml(bytes).value };
  } catch (error) {
    if (error instanceof WireError) return { error: error.message };
    throw error;
  }
}

describe("YAML", () => {
  it.each(samples)("is read and refused as go-yaml does: %j", (text, answer) => {
    expect(answerTo(Buffer.from(text))).toEqual(answer);
  });

  it.each([
    ["a: \xff", "invalid leading UTF-8 octet"],
    ["a: \xc3(", "invalid trailing UTF-8 octet"],
    ["a: \xe2\x82", "incomplete UTF-8 octet sequence"],
    ["a: \xc0\x80", "invalid length of a UTF-8 sequence"],
    ["a: \xed\xa0\x80", "invalid Unicode character"],
  ])("says which bytes are no characters: %j", (bytes, mistake) => {
    expect(answerTo(Buffer.from(bytes, "latin1"))).toEqual({ error: `yaml: ${mistake}` });
  });

  it.each([
    ["explicit keys in one line", "? ".repeat(1_000_000), "exceeded max depth of 500"],
    ["items in one line", "- ".repeat(10_000), "exceeded max depth of 500"],
    ["brackets", "[".repeat(1_000_000), "exceeded max depth of 500"],
    ["braces", "{a: ".repeat(500_000), "exceeded max depth of 500"],
    ["items", "-\n".repeat(600_000), "document has more than 500000 tokens"],
    ["commas", `[${"a,".repeat(300_000)}]`, "document has more than 500000 tokens"],
    ["aliases", `a: &a x\nb: [${"*a,".repeat(300_000)}]`, "document has more than 500000 tokens"],
    ["an anchor in itself", "a: &a [*a]", "anchor 'a' value contains itself"],
  ])("has bounds for %s", (_, text, mistake) => {
    expect(answerTo(Buffer.from(text))).toEqual({ error: `yaml: ${mistake}` });
  });

  it("reads no further than the first document", () => {
    expect(answerTo(Buffer.from(`a: b\n${"---\n".repeat(500_000)}`))).toEqual({
      value: { a: "b" },
    });
  });
});
