/**
 * An answer's body in pieces of a good size.
 *
 * TLS hands out 16 kB at a time, and each way through promises and generators costs as much as it takes to parse a
 * few of these. So what has come in by the end of a turn of the event loop is one piece. A single event waits for nothing.
 *
 * @module
 */
import { finished, type Readable } from "node:stream";
import { settlePromises } from "../../clock.ts";

// Larger strings are collected by V8 with the old generation, which costs more than it saves.
const PIECE_BYTES = 64 * 1024;
// What may wait for a slow reader, before the sender has to.
const WAITING_BYTES = 1024 * 1024;

/** The bytes of `body` as they come in. Whoever stops before its end destroys it. @throws what the stream failed with */
export async function* piecesOf(body: Readable): AsyncGenerator<Uint8Array> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  // How it ended, if it did.
  const outcome: { ended: boolean; failure?: Error } = { ended: false };
  let wake: () => void = () => undefined;
  body.on("data", (chunk: Buffer) => {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes >= WAITING_BYTES) body.pause();
    wake();
  });
  const forget = finished(body, { writable: false }, (error) => {
    if (error) outcome.failure = error;
    outcome.ended = true;
    wake();
  });
  try {
    for (;;) {
      if (waiting.length === 0 && !outcome.ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (!outcome.ended) await settlePromises();
      const chunks = waiting;
      waiting = [];
      waitingBytes = 0;
      yield* joined(chunks);
      if (waiting.length > 0) continue;
      if (outcome.failure) throw outcome.failure;
      if (outcome.ended) return;
      body.resume();
    }
  } finally {
    forget();
    body.destroy();
  }
}

/** The chunks, several in one where they are small. */
function* joined(chunks: readonly Buffer[]): Generator<Buffer> {
  let first = 0;
  let bytes = 0;
  for (const [index, chunk] of chunks.entries()) {
    bytes += chunk.length;
    if (bytes < PIECE_BYTES && index < chunks.length - 1) continue;
    yield index === first ? chunk : Buffer.concat(chunks.slice(first, index + 1), bytes);
    first = index + 1;
    bytes = 0;
  }
}
