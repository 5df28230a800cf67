import { describe, expect, it } from "vitest";
import { WaitingPieces } from "../../../src/runtime/transport/body-pieces.ts";

const KB = 1024;

describe("WaitingPieces", () => {
  it("gives all bytes in their order, in fewer pieces than there were parts", () => {
    const waiting = new WaitingPieces();
    const parts = Array.from({ length: 100 }, (_, index) =>
      Buffer.alloc((index % 17) * KB, 97 + (index % 26)),
    );
    const all = Buffer.concat(parts);
    // Who fills it uses his own memory again.
    const received = Buffer.alloc(64 * KB);
    for (const part of parts) waiting.add(received.subarray(0, part.copy(received)));
    expect(waiting.bytes).toBe(all.length);
    const pieces = [...waiting.take()].length;
    expect(pieces).toBeGreaterThan(5);
    expect(pieces).toBeLessThan(20);
    expect(waiting.bytes).toBe(0);

    for (const part of parts) waiting.add(received.subarray(0, part.copy(received)));
    let read = Buffer.alloc(0);
    for (const piece of waiting.take()) read = Buffer.concat([read, piece]);
    expect(read.equals(all)).toBe(true);
  });

  it("takes parts of any size", () => {
    const waiting = new WaitingPieces();
    const add = (size: number, text: string) => {
      waiting.add(Buffer.alloc(size, text));
    };
    for (const [index, size] of [1, 63 * KB, 64 * KB, 1024 * KB, 1].entries()) {
      add(size, "abcde".charAt(index));
    }
    const pieces = Array.from(waiting.take(), (piece) => piece.toString());
    expect(pieces.map(({ length }) => length)).toEqual([127 * KB + 1, 1024 * KB, 1]);
    expect(pieces.join("")).toMatch(/^ab{64512}c{65536}d{1048576}e$/);
  });

  it("keeps what comes while others are read for the next reader", () => {
    const waiting = new WaitingPieces();
    waiting.add(Buffer.from("a"));
    const seen: string[] = [];
    for (const piece of waiting.take()) {
      waiting.add(Buffer.from("b"));
      seen.push(piece.toString());
    }
    for (const piece of waiting.take()) seen.push(piece.toString());
    expect(seen).toEqual(["a", "b"]);
  });
});
