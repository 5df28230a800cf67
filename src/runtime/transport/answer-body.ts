/** The body of an HTTP answer as it arrives: the pieces of a watch, or a whole answer. */
import { settlePromises } from "../../clock.ts";
import { answerTooLarge, LARGEST_ANSWER_BYTES } from "./answer-size.ts";
import { WaitingPieces } from "./body-pieces.ts";
import type { Body } from "./transport.ts";

interface BodySource {
  /** Stops reading, so that the server waits. */
  pause(): void;
  resume(): void;
  /** Gives up the rest of the body. */
  giveUp(): void;
}

// The bytes that may arrive before anybody reads; after that the server has to wait.
const UNREAD_BYTES = 64 * 1024;
// The bytes that may wait for a slow reader; after that the server has to wait.
const WAITING_BYTES = 1024 * 1024;
// Thousands of small parts, kept until the end of a long answer, fragment the memory; large ones
// are given back.
const JOIN_BYTES = 4 * 1024 * 1024;

interface Waiter {
  readonly resolve: (whole: Buffer) => void;
  readonly reject: (error: Error) => void;
}

export class AnswerBody implements Body {
  readonly #source: BodySource;
  readonly #maxBytes: number;
  // The received parts, until its pieces are read.
  #parts: Buffer[] = [];
  #bytes = 0;
  // The numbers of parts and of bytes that are joined to large ones.
  #joinedParts = 0;
  #joinedBytes = 0;
  #ended = false;
  #failure: Error | undefined;
  #waiter: Waiter | undefined;
  #pieces: WaitingPieces | undefined;
  #wake: () => void = () => undefined;

  /** @param maxBytes - the limit of a body that is read as a whole */
  constructor(source: BodySource, maxBytes = LARGEST_ANSWER_BYTES) {
    this.#source = source;
    this.#maxBytes = maxBytes;
  }

  /** Adds the next part, which is copied. */
  push(part: Buffer): void {
    if (this.#pieces) {
      this.#pieces.add(part);
      if (this.#pieces.bytes >= WAITING_BYTES) this.#source.pause();
      this.#wake();
      return;
    }
    if (this.#failure) return;
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) {
      this.#parts = [];
      this.fail(answerTooLarge(this.#maxBytes));
      this.#source.giveUp();
      return;
    }
    this.#parts.push(Buffer.from(part));
    if (this.#bytes - this.#joinedBytes >= JOIN_BYTES) this.#joinSmall();
    if (!this.#waiter && this.#bytes > UNREAD_BYTES) this.#source.pause();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
    this.#waiter?.resolve(this.#joined());
  }

  /** Fails the reader: the rest will not arrive. */
  fail(error: Error): void {
    if (this.#isOver) return;
    this.#failure = error;
    this.#wake();
    this.#waiter?.reject(error);
  }

  whole(): Promise<Buffer> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve(this.#joined());
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
      this.#source.resume();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const pieces = new WaitingPieces();
    for (const part of this.#parts) pieces.add(part);
    this.#parts = [];
    this.#pieces = pieces;
    try {
      for (;;) {
        if (pieces.bytes === 0 && !this.#isOver) await this.#more();
        // Parts that arrive in the same turn of the event loop are joined; a single event is not
        // delayed.
        if (!this.#isOver) await settlePromises();
        yield* pieces.take();
        if (pieces.bytes > 0) continue;
        if (this.#failure) throw this.#failure;
        if (this.#ended) return;
      }
    } finally {
      this.#source.giveUp();
    }
  }

  get #isOver(): boolean {
    return this.#ended || this.#failure !== undefined;
  }

  /** Resolves when a part or the end has arrived. */
  #more(): Promise<void> {
    this.#source.resume();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #joinSmall(): void {
    const small = this.#parts.splice(this.#joinedParts);
    this.#joinedParts = this.#parts.push(Buffer.concat(small));
    this.#joinedBytes = this.#bytes;
  }

  #joined(): Buffer {
    const [first] = this.#parts;
    const whole = first && this.#parts.length === 1 ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    return whole;
  }
}
