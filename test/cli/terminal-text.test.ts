import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stripVTControlCharacters } from "node:util";
import { messageLines, printJson } from "../../src/cli/output.ts";
import { painter, terminalLine } from "../../src/cli/terminal-text.ts";
import { oneLine } from "../../src/logging/one-line.ts";

const { bold, dim, red, green } = painter(true);

/** Texts with many characters that a terminal obeys, and with what looks like the styles of tsop. */
const foreign = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCharCode(code)),
      fc.constantFrom("\u001b[31m", "\u001b]0;x\u0007", "\u009b2J", "\u202e", "\u2066", "\u2028"),
      fc.nat().map((number) => `\u001b[31;${number}m`),
      fc.integer({ min: 0xe0000, max: 0xe007f }).map((code) => String.fromCodePoint(code)),
    ),
  )
  .map((parts) => parts.join(""));

const OBEYED =
  // oxlint-disable-next-line no-control-regex -- those are what may not be there
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/;

describe("terminalLine", () => {
  it("leaves words and tsop's own styles", () => {
    const text = "ok\tä 日本 👍 \\u001b";
    expect(terminalLine(text)).toBe(text);
    expect(terminalLine(red(text))).toBe(`\u001b[31m${text}\u001b[39m`);
    expect(terminalLine(dim(`a${bold("b")}c`))).toBe(
      "\u001b[2ma\u001b[1mb\u001b[22m\u001b[2mc\u001b[22m",
    );
    expect(painter(false).red(text)).toBe(text);
  });

  it.each([
    ["a cleared screen", "\u001b[2J", "\\u001b[2J"],
    ["hidden text", "\u001b[8mx\u001b[0m", "\\u001b[8mx\\u001b[0m"],
    ["a color", "\u001b[31mx", "\\u001b[31mx"],
    ["a window's title", "\u001b]0;x\u0007", "\\u001b]0;x\\u0007"],
    ["a line that is written over", "good\rbad", "good\\u000dbad"],
    ["a second line", "good\r\nbad\nworse", "good\\u000d\\nbad\\nworse"],
    ["a character that is taken back", "bad\b\b\bgood", "bad\\u0008\\u0008\\u0008good"],
    ["commands of one byte", "\u009b2J\u0090", "\\u009b2J\\u0090"],
    ["a text that runs backwards", "\u202eabc\u2066", "\\u202eabc\\u2066"],
    ["text that nobody sees", "\u{e0041}", "\\udb40\\udc41"],
  ])("shows %s as what it is", (_, text, shown) => {
    expect(terminalLine(text)).toBe(shown);
    expect(terminalLine(green(text))).toBe(`\u001b[32m${shown}\u001b[39m`);
    expect(oneLine(text)).toBe(shown);
  });

  it("lets nothing of a foreign text be obeyed, also within styles", () => {
    fc.assert(
      fc.property(foreign, foreign, (one, other) => {
        expect(terminalLine(one)).not.toMatch(OBEYED);
        const line = terminalLine(`${bold(one)} ${red(`${other}${dim(one)}`)}`);
        expect(stripVTControlCharacters(line)).not.toMatch(OBEYED);
        expect(stripVTControlCharacters(line)).toBe(terminalLine(`${one} ${other}${one}`));
        expect(line.split("\u001b")).toHaveLength(7);
      }),
    );
  });

  it("prints JSON of any texts as JSON of the same texts", () => {
    fc.assert(
      fc.property(fc.array(foreign), (texts) => {
        const lines: string[] = [];
        printJson({ out: (line) => lines.push(terminalLine(line)) }, { texts });
        expect(JSON.parse(lines.join("\n"))).toEqual({ texts });
        expect(lines).toHaveLength(texts.length === 0 ? 3 : texts.length + 4);
      }),
    );
  });

  it("indents the further lines of a message", () => {
    expect(messageLines("a\nfix run me\r\n  b")).toEqual(["a", "    fix run me", "    b"]);
  });
});
