/**
 * Splits a stream of bytes into lines of text.
 *
 * @module
 */

const NEWLINE = 0x0a;

/** The lines of `chunks` as text, in the batches of `wholeLines`; a last line without its newline comes as `rest`. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly lines: string } | { readonly rest: string }> {
  for await (const { bytes, ended } of wholeLines(chunks)) {
    const text = bytes.toString("utf8");
    if (ended) yield { lines: text };
    else if (text.trim() !== "") yield { rest: text };
  }
}

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
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = bytes.lastIndexOf(NEWLINE);
    if (end < 0) {
      pending.push(bytes);
      continue;
    }
    const whole =
      pending.length === 0
        ? bytes.subarray(0, end)
        : Buffer.concat([...pending, bytes.subarray(0, end)]);
    pending = end + 1 < bytes.length ? [bytes.subarray(end + 1)] : [];
    yield { bytes: whole, ended: true };
  }
  const rest = Buffer.concat(pending);
  if (rest.length > 0) yield { bytes: rest, ended: false };
}
