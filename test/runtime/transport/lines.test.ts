import { describe, expect, it } from "vitest";
import { wholeLines } from "../../../src/runtime/transport/lines.ts";

/** The batches as text: what is in one is good until the next one only. */
async function batchesOf(bytes: Buffer, chunkBytes: number): Promise<[string, boolean][]> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      yield Uint8Array.from(bytes.subarray(at, at + chunkBytes));
    }
  }
  const batches: [string, boolean][] = [];
  for await (const batch of wholeLines(chunks())) {
    batches.push([batch.bytes.toString("utf8"), batch.ended]);
  }
  return batches;
}

describe("wholeLines", () => {
  it("keeps characters whole that a chunk cuts in two, and gives what has no end apart", async () => {
    expect(await batchesOf(Buffer.from("ä\n\nbcd\nrest"), 1)).toEqual([
      ["ä", true],
      ["", true],
      ["bcd", true],
      ["rest", false],
    ]);
  });

  it.each([7, 1000, 65_536, 200_000])(
    "gives all lines, short and long, in chunks of %d bytes",
    async (chunkBytes) => {
      const lengths = [0, 5, 64_000, 3, 150_000, 131_072, 1, 400_000, 20, 20];
      const lines = lengths.map((length, index) => String.fromCharCode(97 + index).repeat(length));
      const batches = await batchesOf(Buffer.from(`${lines.join("\n")}\n`), chunkBytes);
      expect(batches.every(([, ended]) => ended)).toBe(true);
      const given = batches.map(([text]) => text).join("\n");
      expect(given === lines.join("\n")).toBe(true);
    },
  );

  it("gives up a line that is longer than it may be, and no others", async () => {
    async function* chunks(line: string) {
      for (;;) yield Promise.resolve(Buffer.from(line));
    }
    const lines = wholeLines(chunks("0123456789\n"), 100);
    for (let count = 0; count < 100; count++) await lines.next();
    await lines.return(undefined);
    const endless = wholeLines(chunks("0123456789"), 100);
    await expect(endless.next()).rejects.toMatchObject({ code: "answer-too-large" });
  });
});
