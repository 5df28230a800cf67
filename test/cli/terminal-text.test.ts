import { describe, expect, it } from "vitest";
import { terminalText } from "../../src/cli/terminal-text.ts";

describe("terminalText", () => {
  it("leaves words, line breaks and colours", () => {
    const text = "\u001b[1;32mok\u001b[0m\tä 日本 👍\r\nnext\n";
    expect(terminalText(text)).toBe(text);
  });

  it.each([
    ["a cleared screen", "\u001b[2J", "\\u001b[2J"],
    ["a window's title", "\u001b]0;x\u0007", "\\u001b]0;x\\u0007"],
    ["a line that is written over", "good\rbad", "good\\u000dbad"],
    ["a character that is taken back", "bad\b\b\bgood", "bad\\u0008\\u0008\\u0008good"],
    ["commands of one byte", "\u009b2J\u0090", "\\u009b2J\\u0090"],
    ["a text that runs backwards", "\u202eabc\u2066", "\\u202eabc\\u2066"],
  ])("shows %s as what it is", (_, text, shown) => {
    expect(terminalText(text)).toBe(shown);
  });
});
