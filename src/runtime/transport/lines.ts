/**
 * Splits a stream of bytes into lines of text.
 *
 * @module
 */

const NEWLINE = 0x0a;

/**
 * The lines of `chunks`, in batches: all that a chunk completes come at once, so that ten thousand
 * events do not cost ten thousand turns. Characters that a chunk cuts in two stay whole. A last line
 * without its newline comes as `rest`.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly lines: string[]; readonly rest?: string }> {
  // Chunks of an unfinished line: joined once, when its end comes, so that a huge line costs linear time.
  let pending: Uint8Array[] = [];
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let end = bytes.indexOf(NEWLINE);
    if (end < 0) {
      pending.push(bytes);
      continue;
    }
    const lines: string[] = [];
    let start = 0;
    if (pending.length > 0) {
      lines.push(Buffer.concat([...pending, bytes.subarray(0, end)]).toString("utf8"));
      pending = [];
      start = end + 1;
      end = bytes.indexOf(NEWLINE, start);
    }
    for (; end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      lines.push(bytes.toString("utf8", start, end));
      start = end + 1;
    }
    if (start < bytes.length) pending.push(bytes.subarray(start));
    yield { lines: lines.filter((line) => line.trim() !== "") };
  }
  const rest = Buffer.concat(pending).toString("utf8");
  if (rest.trim() !== "") yield { lines: [], rest };
}
