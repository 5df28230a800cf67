/**
 * The body of an HTTP answer while it comes in: the pieces of a watch, or the whole of anything else.
 *
 * @module
 */
import { Readable } from "node:stream";
import { piecesOf } from "./body-pieces.ts";
import type { Body } from "./transport.ts";

/** The connection that a body comes from. */
interface BodySource {
  /** Lets the server wait. */
  pause(): void;
  resume(): void;
  /** Gives up what is still to come. */
  giveUp(): void;
}

// What may come before anybody reads; then the server has to wait.
const UNREAD_BYTES = 64 * 1024;
// Thousands of small parts, kept until a long answer's end, leave the memory full of holes; large ones are given back.
const JOIN_BYTES = 4 * 1024 * 1024;

interface Waiter {
  readonly resolve: (whole: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** Takes the parts in, and hands them on to whoever reads. */
export class AnswerBody implements Body {
  readonly #source: BodySource;
  // What came, as long as there is no stream.
  #parts: Buffer[] = [];
  #bytes = 0;
  // How many of the parts, and of the bytes, are joined to large ones.
  #joinedParts = 0;
  #joinedBytes = 0;
  #ended = false;
  #failure: Error | undefined;
  #waiter: Waiter | undefined;
  #stream: Readable | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** The next part. */
  push(part: Buffer): void {
    if (this.#stream) {
      if (!this.#stream.push(part)) this.#source.pause();
      return;
    }
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes - this.#joinedBytes >= JOIN_BYTES) this.#joinSmall();
    if (!this.#waiter && this.#bytes > UNREAD_BYTES) this.#source.pause();
  }

  /** Nothing more comes. */
  end(): void {
    this.#ended = true;
    this.#stream?.push(null);
    this.#waiter?.resolve(this.#joined());
  }

  /** The rest does not come. */
  fail(error: Error): void {
    if (this.#ended) return;
    this.#failure = error;
    // Without the error: who has just stopped reading listens no more, and it would end the process.
    this.#stream?.destroy();
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
    try {
      yield* piecesOf(this.#streamed());
    } catch (error) {
      throw this.#failure ?? error;
    }
  }

  /** A stream of what came and comes. Whoever asks for it listens at once. */
  #streamed(): Readable {
    const stream = new Readable({
      read: () => {
        this.#source.resume();
      },
      destroy: (error, done) => {
        this.#source.giveUp();
        done(error);
      },
    });
    this.#stream = stream;
    for (const part of this.#parts) stream.push(part);
    this.#parts = [];
    if (this.#failure) stream.destroy();
    else if (this.#ended) stream.push(null);
    return stream;
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
