/** Receives the bodies of requests, within limits: of each, and of all that are under way. */
import type { IncomingMessage } from "node:http";
import type { RequestMemory, Waiting } from "../../serving/request-memory.ts";
import { BodyParts } from "./body-parts.ts";
import { ReviewFailure } from "./replies.ts";
import { bodyTooLarge, outOfMemory } from "./request-limits.ts";

// Whoever is told that a body is too large has to have sent it first: most clients read no answer before. Nothing of it is kept.
const DISCARDED_BYTES = 256 * 1024 * 1024;

export interface BodyLimits {
  /** Of each. */
  readonly maxBytes: number;
  /** Of all. */
  readonly memory: RequestMemory;
}

/**
 * Receives a body, and calls `received` once: with all of it, or with why there is none. 413 for more than `maxBytes`; 503
 * when all bodies together are too much; 400 for half a body.
 *
 * Its memory is given back by then: what reading it takes is taken anew. No promise, because it would be a tenth of what a
 * review costs.
 */
export function receiveBody(
  request: IncomingMessage,
  { maxBytes, memory }: BodyLimits,
  received: (body: Buffer | ReviewFailure) => void,
): void {
  const parts = new BodyParts(memory);
  let bytes = 0;
  let refusal: ReviewFailure | undefined;
  let isSettled = false;
  const waiting: Waiting = {
    giveUp: () => {
      refuse(outOfMemory(memory));
    },
  };
  const settle = (body: Buffer | ReviewFailure): void => {
    if (isSettled) return;
    isSettled = true;
    memory.goesOn(waiting);
    parts.clear();
    received(body);
  };
  const refuse = (failure: ReviewFailure): void => {
    refusal ??= failure;
    memory.goesOn(waiting);
    parts.clear();
  };
  memory.waits(waiting);
  request.on("data", (part: Buffer) => {
    bytes += part.length;
    if (refusal) {
      if (bytes > maxBytes + DISCARDED_BYTES) settle(refusal);
    } else if (bytes > maxBytes) refuse(bodyTooLarge(maxBytes));
    else if (!parts.add(part)) refuse(outOfMemory(memory));
  });
  request.on("end", () => {
    settle(refusal ?? parts.whole());
  });
  request.on("close", () => {
    // An error is costly to make.
    if (!isSettled) settle(new ReviewFailure(400, "the body did not arrive"));
  });
}
