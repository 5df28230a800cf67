/** Bodies of requests, within limits: of each, and of all that are under way. */
import type { IncomingMessage } from "node:http";
import { ReviewFailure } from "./replies.ts";

const MIB = 1024 * 1024;
// Whoever is told that a body is too large has to have sent it first: most clients read no answer before.
const DISCARDED_BYTES = 32 * MIB;

/** The memory that all bodies may take together while they are received. */
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

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }
}

export interface BodyLimits {
  /** Of each. */
  readonly maxBytes: number;
  /** Of all. */
  readonly budget: BodyBudget;
}

/**
 * Receives a body, and calls `received` once: with all of it, or with why there is none. 413 for more than `maxBytes`; 503
 * when all bodies together are too much; 400 for half a body.
 *
 * Its bytes are given back to the budget by then: what is made of them is gone within the same turn, or is a handler's. No
 * promise, because it would be a tenth of what a review costs.
 */
export function receiveBody(
  request: IncomingMessage,
  { maxBytes, budget }: BodyLimits,
  received: (body: Buffer | ReviewFailure) => void,
): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let taken = 0;
  let refusal: ReviewFailure | undefined;
  let isSettled = false;
  const give = (): void => {
    budget.giveBack(taken);
    taken = 0;
  };
  const settle = (body: Buffer | ReviewFailure): void => {
    if (isSettled) return;
    isSettled = true;
    give();
    received(body);
  };
  const refuse = (failure: ReviewFailure): void => {
    refusal ??= failure;
    chunks = [];
    give();
  };
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      refuse(new ReviewFailure(413, `the body has more than ${maxBytes} bytes`));
    } else if (!refusal && !budget.take(chunk.length)) {
      refuse(new ReviewFailure(503, "too many large requests at the same time"));
    }
    if (refusal) {
      if (bytes > maxBytes + DISCARDED_BYTES) settle(refusal);
      return;
    }
    taken += chunk.length;
    chunks.push(chunk);
  });
  request.on("end", () => {
    const [first] = chunks;
    settle(refusal ?? (first && chunks.length === 1 ? first : Buffer.concat(chunks)));
  });
  request.on("close", () => {
    // An error is costly to make.
    if (!isSettled) settle(new ReviewFailure(400, "the body did not arrive"));
  });
}
