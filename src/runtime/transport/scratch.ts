/**
 * Memory for what is put together, read at once and thrown away. To ask the system for it each time would take longer
 * than to fill it, and a stream that waits for its next event needs none.
 */

// Twice what a watch's pieces have.
const SCRATCH_BYTES = 128 * 1024;
// The number of free buffers for the bytes of one turn of the event loop, on their way to objects.
const MAX_FREE = 8;

const free: Buffer[] = [];

/** Memory for at least so many bytes, with anything in it. */
export function borrowMemory(bytes: number): Buffer {
  const memory = bytes <= SCRATCH_BYTES ? free.pop() : undefined;
  return memory ?? Buffer.allocUnsafeSlow(Math.max(bytes, SCRATCH_BYTES));
}

/** Nobody looks at it any more. */
export function giveBack(memory: Buffer): void {
  if (memory.length === SCRATCH_BYTES && free.length < MAX_FREE) free.push(memory);
}

/** `Buffer.concat` into borrowed memory, which is given back when the reader asks for more, or ends. */
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
