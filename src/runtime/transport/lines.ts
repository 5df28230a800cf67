/**
 * Splits a stream of bytes into lines of text.
 *
 * @module
 */

const NEWLINE = 0x0a;

/**
 * The lines of `chunks`, in batches: all that a chunk completes come at once and in one text, so that ten
 * thousand events do not cost ten thousand turns. Characters that a chunk cuts in two stay whole. A last line
 * without its newline comes as `rest`.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly lines: string } | { readonly rest: string }> {
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
    yield { lines: whole.toString("utf8") };
  }
  const rest = Buffer.concat(pending).toString("utf8");
  if (rest.trim() !== "") yield { rest };
}
