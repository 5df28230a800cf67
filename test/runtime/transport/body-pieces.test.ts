import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { settlePromises } from "../../../src/clock.ts";
import { piecesOf } from "../../../src/runtime/transport/body-pieces.ts";

/** A source of as many small chunks as are asked for; counts those that were taken. */
function source(count: number, failure?: Error): { readonly body: Readable; taken: number } {
  const result = {
    taken: 0,
    body: new Readable({
      read() {
        if (result.taken < count) this.push(Buffer.alloc(16 * 1024, 97 + (result.taken++ % 26)));
        else if (failure) this.destroy(failure);
        else this.push(null);
      },
    }),
  };
  return result;
}

describe("piecesOf", () => {
  it("gives all bytes in their order, in fewer pieces than there were chunks", async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of piecesOf(source(100).body)) pieces.push(piece);
    const all = Buffer.concat(pieces);
    expect(all).toHaveLength(100 * 16 * 1024);
    expect([...new Set(all)]).toEqual(Array.from({ length: 26 }, (_, letter) => 97 + letter));
    expect(pieces.length).toBeLessThan(50);
  });

  it("lets the sender wait when the reader is slow", async () => {
    const chunks = source(1000);
    const pieces = piecesOf(chunks.body);
    await pieces.next();
    for (let turn = 0; turn < 20; turn++) await settlePromises();
    expect(chunks.taken).toBeLessThan(200);
    await pieces.return(undefined);
    expect(chunks.body.destroyed).toBe(true);
  });

  it("gives what came before a failure, then the failure", async () => {
    const seen: number[] = [];
    const read = async () => {
      for await (const piece of piecesOf(source(3, new Error("cut")).body)) seen.push(piece.length);
    };
    await expect(read()).rejects.toThrow("cut");
    expect(seen.reduce((sum, size) => sum + size, 0)).toBe(3 * 16 * 1024);
  });
});
