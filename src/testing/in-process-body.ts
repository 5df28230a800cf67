/** Bodies of answers that come without a socket. */
import type { Body } from "../runtime/transport/transport.ts";

/** A body that is all there. */
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
 * A body whose pieces come one by one. What a slow reader leaves waits here, and comes together when the reader asks
 * again.
 */
export class PiecesBody implements Body {
  readonly #onReturn: () => void;
  #waiting = "";
  /** In the order in which they asked. */
  readonly #readers: Reader[] = [];
  #ended = false;
  #failure: Error | undefined;

  /** @param onReturn - the reader wants no more */
  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
  }

  /** Whether all that came was read, and dealt with: the reader waits for more, or has gone. */
  get isRead(): boolean {
    return this.#waiting === "" && (this.#readers.length > 0 || this.#isOver);
  }

  /** The next piece. */
  push(piece: string): void {
    if (this.#isOver) return;
    this.#waiting += piece;
    this.#answer();
  }

  /** Nothing more comes. */
  end(): void {
    this.#ended = true;
    this.#answer();
  }

  /** The rest does not come. */
  fail(error: Error): void {
    if (this.#isOver) return;
    this.#failure = error;
    this.#answer();
  }

  /** The reader wants no more: the rest is not kept. */
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
