/**
 * The unread part of an answer, in pieces of a good size. TLS hands out 16 kB at a time, and each
 * pass through promises and generators costs as much as parsing a few of these.
 */
import { borrowMemory, giveBack } from "./scratch.ts";

// V8 collects larger strings with the old generation, which costs more than it saves.
const PIECE_BYTES = 64 * 1024;

interface Piece {
  readonly memory: Buffer;
  end: number;
}

export class WaitingPieces {
  #pieces: Piece[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Copies `part` to the end of the waiting bytes. */
  add(part: Uint8Array): void {
    let piece = this.#pieces.at(-1);
    if (!piece || piece.end >= PIECE_BYTES || piece.end + part.length > piece.memory.length) {
      piece = { memory: borrowMemory(part.length), end: 0 };
      this.#pieces.push(piece);
    }
    piece.memory.set(part, piece.end);
    piece.end += part.length;
    this.#bytes += part.length;
  }

  /** The waiting pieces; each is valid until the next one is requested. */
  *take(): Generator<Buffer> {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    for (const { memory, end } of pieces) {
      try {
        yield memory.subarray(0, end);
      } finally {
        giveBack(memory);
      }
    }
  }
}
