/**
 * Splits a stream of bytes into lines, or at other borders.
 *
 * @module
 */

const NEWLINE = 0x0a;
// Twice what a watch's pieces have.
const REUSED_BYTES = 128 * 1024;

/** What stands before a border, without it; not `ended` is what came behind the last border of all, if anything. */
interface Batch {
  /** Good until the next one is asked for. */
  readonly bytes: Buffer;
  readonly ended: boolean;
}

/**
 * The lines of `chunks`, in batches: all that a chunk completes come at once, so that ten thousand events do not cost
 * ten thousand turns. Characters that a chunk cuts in two stay whole.
 */
export function wholeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Batch> {
  return wholeParts(chunks, (chunk) => chunk.lastIndexOf(NEWLINE));
}

/**
 * As `wholeLines`, with any character of one byte between the parts.
 *
 * @param lastBorder - where in a chunk the last one is; below 0: nowhere
 */
export async function* wholeParts(
  chunks: AsyncIterable<Uint8Array>,
  lastBorder: (chunk: Buffer) => number,
): AsyncGenerator<Batch> {
  // Chunks of an unfinished part: joined once, when its end comes, so that a huge one costs linear time.
  let pending: Uint8Array[] = [];
  const join = reusingJoin();
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = lastBorder(bytes);
    if (end < 0) {
      pending.push(bytes);
      continue;
    }
    const whole =
      pending.length === 0 ? bytes.subarray(0, end) : join([...pending, bytes.subarray(0, end)]);
    pending = end + 1 < bytes.length ? [bytes.subarray(end + 1)] : [];
    yield { bytes: whole, ended: true };
  }
  const rest = Buffer.concat(pending);
  if (rest.length > 0) yield { bytes: rest, ended: false };
}

/** `Buffer.concat` into the same memory again and again, unless that would have to be large. */
function reusingJoin(): (parts: readonly Uint8Array[]) => Buffer {
  let memory = Buffer.alloc(0);
  return (parts) => {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length > REUSED_BYTES) return Buffer.concat(parts);
    if (memory.length === 0) memory = Buffer.alloc(REUSED_BYTES);
    let at = 0;
    for (const part of parts) {
      memory.set(part, at);
      at += part.length;
    }
    return memory.subarray(0, at);
  };
}
