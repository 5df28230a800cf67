/**
 * Bodies of requests, within limits: of each, and of all that are under way.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import { ReviewFailure } from "./replies.ts";

const MIB = 1024 * 1024;
// Whoever is told that a body is too large has to have sent it first: most clients read no answer before.
const DISCARDED_BYTES = 32 * MIB;

/** What all bodies that are being received may take together. */
export class BodyBudget {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes some, if they are left. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#maxBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Gives some back. */
  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/**
 * The whole body. Its bytes are given back to the budget when it is there or has failed: what is made of it is gone within
 * the same turn, or is a handler's.
 *
 * @throws ReviewFailure 413 for more than `maxBytes`; 503 when all bodies together are too much; 400 for half a body
 */
export function bodyOf(
  request: IncomingMessage,
  maxBytes: number,
  budget: BodyBudget,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let received = 0;
    let taken = 0;
    let refusal: ReviewFailure | undefined;
    const give = (): void => {
      budget.giveBack(taken);
      taken = 0;
    };
    const refuse = (failure: ReviewFailure): void => {
      refusal ??= failure;
      chunks = [];
      give();
    };
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxBytes) {
        refuse(new ReviewFailure(413, `the body has more than ${maxBytes} bytes`));
      } else if (!refusal && !budget.take(chunk.length)) {
        refuse(new ReviewFailure(503, "too many large requests at the same time"));
      }
      if (refusal) {
        if (received > maxBytes + DISCARDED_BYTES) reject(refusal);
        return;
      }
      taken += chunk.length;
      chunks.push(chunk);
    });
    request.on("end", () => {
      give();
      if (refusal) reject(refusal);
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.on("close", () => {
      give();
      // After the end there is nobody to be told, and an error is costly to make.
      if (!request.complete) reject(new ReviewFailure(400, "the body did not come in"));
    });
  });
}
