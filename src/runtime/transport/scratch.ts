/**
 * Scratch memory for bytes that are joined, read at once and thrown away. Allocating it each time
 * would take longer than filling it, and a stream that waits for its next event needs none.
 */

// Twice the size of a watch's pieces.
const SCRATCH_BYTES = 128 * 1024;
// The number of free buffers for the bytes of one turn of the event loop, until they are parsed.
const MAX_FREE = 8;

const free: Buffer[] = [];

/** Memory for at least `bytes` bytes, with arbitrary content. */
export function borrowMemory(bytes: number): Buffer {
  const memory = bytes <= SCRATCH_BYTES ? free.pop() : undefined;
  return memory ?? Buffer.allocUnsafeSlow(Math.max(bytes, SCRATCH_BYTES));
}

/** Gives back borrowed memory, which nobody reads any more. */
export function giveBack(memory: Buffer): void {
  if (memory.length === SCRATCH_BYTES && free.length < MAX_FREE) free.push(memory);
}

/** `Buffer.concat` into borrowed memory, given back when the reader continues or ends. */
export function* joinedInScratch(parts: readonly Uint8Array[]): Generator<Buffer> {
  const memory = borrowMemory(parts.reduce((sum, part) => sum + part.length, 0));
  try {
    let end = 0;
    for (const part of parts) {
      memory.set(part, end);
      end += part.length;
    }
    yield memory.subarray(0, end);
  } finally {
    giveBack(memory);
  }
}
