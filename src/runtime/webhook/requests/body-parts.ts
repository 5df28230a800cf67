/**
 * The parts of a body that comes in. A client chooses their size, and a part of one byte takes hundreds in memory: small ones are copied into blocks.
 */
import type { RequestMemory } from "../../serving/request-memory.ts";

const FIRST_BLOCK_BYTES = 1024;
const MAX_BLOCK_BYTES = 64 * 1024;
/** A part that is not smaller is kept as it is. */
const OWN_PART_BYTES = 8 * 1024;
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
    if (this.#parts.length === 0 || part.length >= OWN_PART_BYTES) {
      if (!this.#take(part.length + PART_BYTES)) return false;
      this.#endBlock();
      this.#parts.push(part);
      this.#bytes += part.length;
      return true;
    }
    for (let at = 0; at < part.length;) {
      const block = this.#block ?? this.#beginBlock();
      if (!block) return false;
      const copied = part.copy(block, this.#filled, at);
      this.#filled += copied;
      this.#bytes += copied;
      at += copied;
      if (this.#filled === block.length) this.#endBlock();
    }
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
  }

  #beginBlock(): Buffer | undefined {
    const bytes = Math.min(MAX_BLOCK_BYTES, Math.max(FIRST_BLOCK_BYTES, this.#bytes));
    if (!this.#take(bytes + PART_BYTES)) return undefined;
    this.#block = Buffer.allocUnsafeSlow(bytes);
    this.#filled = 0;
    this.#parts.push(this.#block);
    return this.#block;
  }

  #endBlock(): void {
    const last = this.#parts.length - 1;
    if (this.#block) this.#parts[last] = this.#block.subarray(0, this.#filled);
    this.#block = undefined;
  }

  #take(bytes: number): boolean {
    if (!this.#memory.take(bytes, false)) return false;
    this.#taken += bytes;
    return true;
  }
}
