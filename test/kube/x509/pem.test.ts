import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pemBlocks } from "../../../src/kube/x509/pem.ts";
import { hasGo, readByGo } from "./go.ts";

const body = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const type = fc.constantFrom("A", "CERTIFICATE REQUEST", "B C", "");
/** What a block is made of, and what disturbs it. */
const piece = fc.oneof(
  { weight: 6, arbitrary: type.map((name) => `-----BEGIN ${name}-----`) },
  { weight: 6, arbitrary: type.map((name) => `-----END ${name}-----`) },
  { weight: 8, arbitrary: fc.constantFrom("\n", "\n", "\n", "\r\n", "", " \n", "\t") },
  { weight: 6, arbitrary: body },
  { weight: 1, arbitrary: fc.constantFrom("Key: value", "-----", "#", "QUJD=", "=", "Q", ":") },
);
const whole = fc
  .tuple(type, body, type, fc.constantFrom("\n", "\r\n", " \n", "\nA: b\n\n", ""))
  .map(([first, text, last, end]) => {
    const other = last === "" ? first : last;
    return `-----BEGIN ${first}-----${end}${text}\n-----END ${other}-----\n`;
  });
const text = fc.array(fc.oneof(piece, whole), { maxLength: 12 }).map((pieces) => pieces.join(""));

describe.skipIf(!hasGo())("A text in PEM", () => {
  it("has the blocks that Go finds in it", () => {
    const texts = fc.sample(text, { numRuns: 4000, seed: 3 });
    const answers = readByGo(
      "pem",
      texts.map((one) => Buffer.from(one, "latin1")),
    );
    const found = texts.map((one) =>
      pemBlocks(one).map(({ bytes, ...block }) => ({ ...block, bytes: bytes.toString("hex") })),
    );
    for (const [index, one] of texts.entries()) {
      expect({ text: one, blocks: found[index] }).toEqual({
        text: one,
        blocks: answers[index]?.blocks ?? [],
      });
    }
    expect(found.filter((blocks) => blocks.length > 0).length).toBeGreaterThan(500);
  });
});
