/**
 * The parts of a body that comes in. A client chooses their size, and a part of one byte takes hundreds in memory: all but the first one are copied into blocks.
 */
import type { RequestMemory } from "../../serving/request-memory.ts";

const FIRST_BLOCK_BYTES = 1024;
const MAX_BLOCK_BYTES = 64 * 1024;
/** What a part takes besides its bytes. */
const PART_BYTES = 512;

export class BodyParts {
  readonly #memory: RequestMemory;
  #parts: Buffer[] = [];
  // The block that is filled; it is the last part then.
  #block: Buffer | undefined;
  #filled = 0;
  #taken = 0;
  #bytes = 0;

  constructor(memory: RequestMemory) {
    this.#memory = memory;
  }

  /** How many bytes have come in. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps a part; false when there is no memory for it: then nothing of it is kept. */
  add(part: Buffer): boolean {
    if (this.#parts.length === 0) {
      if (!this.#take(part.length + PART_BYTES)) return false;
      this.#parts.push(part);
      this.#bytes += part.length;
      return true;
    }
    const room = (this.#block?.length ?? 0) - this.#filled;
    const next = part.length > room ? this.#newBlock(part.length - room) : undefined;
    if (part.length > room && !next) return false;
    const copied = this.#block ? part.copy(this.#block, this.#filled) : 0;
    this.#filled += copied;
    this.#bytes += part.length;
    if (!next) return true;
    this.#parts.push(next);
    this.#block = next;
    this.#filled = part.copy(next, 0, copied);
    return true;
  }

  /** The parts, in their order. */
  parts(): Buffer[] {
    const { length } = this.#parts;
    return this.#parts.map((part, at) =>
      this.#block && at === length - 1 ? part.subarray(0, this.#filled) : part,
    );
  }

  /** All of it in one piece. */
  whole(): Buffer {
    const parts = this.parts();
    const [first] = parts;
    return first && parts.length === 1 ? first : Buffer.concat(parts);
  }

  /** Forgets them, and gives their memory back. */
  clear(): void {
    this.#memory.giveBack(this.#taken);
    this.#taken = 0;
    this.#bytes = 0;
    this.#parts = [];
    this.#block = undefined;
    this.#filled = 0;
  }

  #newBlock(leastBytes: number): Buffer | undefined {
    const bytes = Math.max(leastBytes, FIRST_BLOCK_BYTES, Math.min(MAX_BLOCK_BYTES, this.#bytes));
    return this.#take(bytes + PART_BYTES) ? Buffer.allocUnsafeSlow(bytes) : undefined;
  }

  #take(bytes: number): boolean {
    if (!this.#memory.take(bytes, false)) return false;
    this.#taken += bytes;
    return true;
  }
}
