import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readYaml, YamlError } from "../../../src/controlplane/wire/yaml-reader.ts";

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
    if (error instanceof YamlError) return { error: error.message };
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
});
