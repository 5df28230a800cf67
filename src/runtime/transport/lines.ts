/**
 * Splits a stream of bytes into lines, or at other borders.
 *
 * @module
 */
import { answerTooLarge, LARGEST_ANSWER_BYTES } from "./answer-size.ts";
import { joinedInScratch } from "./scratch.ts";

const NEWLINE = 0x0a;

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
export function wholeLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes?: number,
): AsyncGenerator<Batch> {
  return wholeParts(chunks, (chunk) => chunk.lastIndexOf(NEWLINE), maxBytes);
}

/**
 * As `wholeLines`, with any character of one byte between the parts.
 *
 * @param lastBorder - where in a chunk the last one is; below 0: nowhere
 * @param maxBytes - a part may be so long
 * @throws TsopError `answer-too-large`
 */
export async function* wholeParts(
  chunks: AsyncIterable<Uint8Array>,
  lastBorder: (chunk: Buffer) => number,
  maxBytes = LARGEST_ANSWER_BYTES,
): AsyncGenerator<Batch> {
  // Chunks of an unfinished part: joined once, when its end comes, so that a huge one costs linear time.
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = lastBorder(bytes);
    if (end < 0) {
      // A copy, as a chunk is good only until the next one is asked for.
      pending.push(Buffer.from(bytes));
      pendingBytes += bytes.length;
      if (pendingBytes > maxBytes) throw answerTooLarge(maxBytes);
      continue;
    }
    const whole = bytes.subarray(0, end);
    const parts = [...pending, whole];
    pendingBytes = bytes.length - end - 1;
    pending = pendingBytes > 0 ? [Buffer.from(bytes.subarray(end + 1))] : [];
    if (parts.length === 1) yield { bytes: whole, ended: true };
    else for (const joined of joinedInScratch(parts)) yield { bytes: joined, ended: true };
  }
  const rest = Buffer.concat(pending);
  if (rest.length > 0) yield { bytes: rest, ended: false };
}
