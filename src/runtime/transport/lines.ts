/** Splits a stream of bytes into lines, or at other borders. */
import { answerTooLarge, LARGEST_ANSWER_BYTES } from "./answer-size.ts";
import { joinedInScratch } from "./scratch.ts";

const NEWLINE = 0x0a;

/** The bytes before a border, without it; not `ended` for those after the last border, if any. */
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
  return wholeParts(chunks, lastNewline, maxBytes);
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
  const splitter = new Splitter(lastBorder, maxBytes);
  for await (const chunk of chunks) {
    for (const bytes of splitter.parts(chunk)) yield { bytes, ended: true };
  }
  const { rest } = splitter;
  if (rest.length > 0) yield { bytes: rest, ended: false };
}

/** Splits chunks into lines. */
export function lineSplitter(maxBytes = LARGEST_ANSWER_BYTES): Splitter {
  return new Splitter(lastNewline, maxBytes);
}

const lastNewline = (chunk: Buffer): number => chunk.lastIndexOf(NEWLINE);

/** Splits chunks at borders. */
class Splitter {
  readonly #lastBorder: (chunk: Buffer) => number;
  readonly #maxBytes: number;
  // Chunks of an unfinished part: joined once, when its end comes, so that a huge one costs linear time.
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(lastBorder: (chunk: Buffer) => number, maxBytes: number) {
    this.#lastBorder = lastBorder;
    this.#maxBytes = maxBytes;
  }

  /** Whether nothing came behind the last border. */
  get isBetween(): boolean {
    return this.#pending.length === 0;
  }

  /** The bytes after the last border. */
  get rest(): Buffer {
    return Buffer.concat(this.#pending);
  }

  /**
   * All that `chunk` completes, at once, with the borders between the parts; it is good until `use` returns.
   *
   * @returns what `use` returned; `undefined` when nothing was completed
   * @throws TsopError `answer-too-large`
   */
  add<R>(chunk: Uint8Array, use: (bytes: Buffer) => R): R | undefined {
    for (const bytes of this.parts(chunk)) return use(bytes);
    return undefined;
  }

  /** The same, as none or one; it is good until the next one is asked for. @throws TsopError `answer-too-large` */
  *parts(chunk: Uint8Array): Generator<Buffer> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = this.#lastBorder(bytes);
    if (end < 0) {
      // A copy, as a chunk is good only until the next one is asked for.
      this.#pending.push(Buffer.from(bytes));
      this.#pendingBytes += bytes.length;
      if (this.#pendingBytes > this.#maxBytes) throw answerTooLarge(this.#maxBytes);
      return;
    }
    const whole = bytes.subarray(0, end);
    const pending = this.#pending;
    this.#pendingBytes = bytes.length - end - 1;
    this.#pending = this.#pendingBytes > 0 ? [Buffer.from(bytes.subarray(end + 1))] : [];
    if (pending.length === 0) yield whole;
    else yield* joinedInScratch([...pending, whole]);
  }
}
