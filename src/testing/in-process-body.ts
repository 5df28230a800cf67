/** The bodies of answers without a socket. */
import type { Body } from "../runtime/transport/transport.ts";

export function wholeBody(content: string | Uint8Array): Body {
  // A copy: the reader may change the bytes.
  const copy = (): Buffer =>
    typeof content === "string" ? Buffer.from(content) : Buffer.from(content);
  return {
    whole: () => Promise.resolve(copy()),
    async *[Symbol.asyncIterator]() {
      const bytes = await Promise.resolve(copy());
      if (bytes.length > 0) yield bytes;
    },
  };
}

interface Reader {
  readonly resolve: (result: IteratorResult<Uint8Array>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A body whose pieces come one by one. Pieces that a slow reader has not read wait here, and are
 * joined for its next read.
 */
export class PiecesBody implements Body {
  readonly #onReturn: () => void;
  #waiting = "";
  /** In the order of their requests. */
  readonly #readers: Reader[] = [];
  #ended = false;
  #failure: Error | undefined;

  /** @param onReturn - called when the reader stops */
  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
  }

  /** Whether every piece was processed: the reader waits for the next one, or has stopped. */
  get isRead(): boolean {
    return this.#waiting === "" && (this.#readers.length > 0 || this.#isOver);
  }

  /** Adds the next piece. */
  push(piece: string): void {
    if (this.#isOver) return;
    this.#waiting += piece;
    this.#answer();
  }

  end(): void {
    this.#ended = true;
    this.#answer();
  }

  /** Fails the reader: the rest will not come. */
  fail(error: Error): void {
    if (this.#isOver) return;
    this.#failure = error;
    this.#answer();
  }

  /** Handles a reader that stops: the rest is not kept. */
  giveUp(reason: () => Error): void {
    this.#waiting = "";
    if (!this.#isOver) this.fail(reason());
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () =>
        new Promise((resolve, reject) => {
          this.#readers.push({ resolve, reject });
          this.#answer();
        }),
      return: () => {
        this.#onReturn();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  get #isOver(): boolean {
    return this.#ended || this.#failure !== undefined;
  }

  #answer(): void {
    while (this.#waiting !== "" || this.#isOver) {
      const reader = this.#readers.shift();
      if (!reader) return;
      if (this.#waiting !== "") {
        const value = Buffer.from(this.#waiting);
        this.#waiting = "";
        reader.resolve({ done: false, value });
      } else if (this.#failure) reader.reject(this.#failure);
      else reader.resolve({ done: true, value: undefined });
    }
  }
}
