/** Splits a stream of bytes into lines, or at other separators. */
import { answerTooLarge, LARGEST_ANSWER_BYTES } from "./answer-size.ts";
import { joinedInScratch } from "./scratch.ts";

const NEWLINE = 0x0a;

/** The bytes before a separator, without it; not `ended` for those after the last one. */
interface Batch {
  /** Valid until the next batch is requested. */
  readonly bytes: Buffer;
  readonly ended: boolean;
}

/**
 * The lines of `chunks`, in batches: all lines that a chunk completes come together, so that ten
 * thousand events do not cost ten thousand turns. Characters that are split between two chunks stay
 * whole.
 */
export function wholeLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes?: number,
): AsyncGenerator<Batch> {
  return wholeParts(chunks, lastNewline, maxBytes);
}

/**
 * As `wholeLines`, with any one-byte character as the separator.
 *
 * @param lastBorder - the position of the last separator in a chunk; negative when there is none
 * @param maxBytes - the limit of a part
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

export function lineSplitter(maxBytes = LARGEST_ANSWER_BYTES): Splitter {
  return new Splitter(lastNewline, maxBytes);
}

const lastNewline = (chunk: Buffer): number => chunk.lastIndexOf(NEWLINE);

/** Splits chunks at separators. */
class Splitter {
  readonly #lastBorder: (chunk: Buffer) => number;
  readonly #maxBytes: number;
  // The chunks of an unfinished part: joined once, at its end, so that a huge part costs linear
  // time.
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(lastBorder: (chunk: Buffer) => number, maxBytes: number) {
    this.#lastBorder = lastBorder;
    this.#maxBytes = maxBytes;
  }

  /** Whether no bytes came after the last separator. */
  get isBetween(): boolean {
    return this.#pending.length === 0;
  }

  /** The bytes after the last separator. */
  get rest(): Buffer {
    return Buffer.concat(this.#pending);
  }

  /**
   * Adds a chunk, and passes all parts that it completes to `use` together, with the separators
   * between them; they are valid until `use` returns.
   *
   * @returns the result of `use`; `undefined` when no part was completed
   * @throws TsopError `answer-too-large`
   */
  add<R>(chunk: Uint8Array, use: (bytes: Buffer) => R): R | undefined {
    for (const bytes of this.parts(chunk)) return use(bytes);
    return undefined;
  }

  /**
   * The same as a generator of at most one batch, which is valid until the next one is requested.
   * @throws TsopError `answer-too-large`
   */
  *parts(chunk: Uint8Array): Generator<Buffer> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = this.#lastBorder(bytes);
    if (end < 0) {
      // A copy, because a chunk is only valid until the next one is requested.
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
