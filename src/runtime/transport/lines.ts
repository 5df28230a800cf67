/**
 * Splits a stream of bytes into lines.
 *
 * @module
 */

const NEWLINE = 0x0a;
// Twice what a watch's pieces have.
const REUSED_BYTES = 128 * 1024;

/** Some lines without the last one's newline; not `ended` is what came behind the last newline of all, if anything. */
export interface LineBatch {
  readonly bytes: Buffer;
  readonly ended: boolean;
}

/**
 * The lines of `chunks`, in batches: all that a chunk completes come at once, so that ten thousand events do not cost
 * ten thousand turns. Characters that a chunk cuts in two stay whole.
 */
export async function* wholeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LineBatch> {
  // Chunks of an unfinished line: joined once, when its end comes, so that a huge line costs linear time.
  let pending: Uint8Array[] = [];
  const join = reusingJoin();
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = bytes.lastIndexOf(NEWLINE);
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
