/** What requests exceed, and the answers to them. */
import { jsonCost, MAX_DEPTH } from "../../serving/json-cost.ts";
import type { Refusals } from "../../serving/refusals.ts";
import type { RequestMemory } from "../../serving/request-memory.ts";
import { type ExceededLimit, ReviewFailure } from "./replies.ts";

const MIB = 1024 * 1024;
const MORE_MEMORY =
  "Raise the memory limit of the container, which the heap follows in the scaffolded image, or set serverMemoryBytes of createManager.";

/** As controller-runtime's: two objects of 3 MB, and the rest of the request. */
export const ADMISSION_MAX_BYTES = 7 * MIB;

const BODY_BYTES: ExceededLimit = { name: "body-bytes", fix: MORE_MEMORY };
const ADMISSION_BYTES: ExceededLimit = {
  name: "admission-bytes",
  fix: "The API server sends no larger admission review: find out who sends it.",
};
const BODY_MEMORY: ExceededLimit = { name: "body-memory", fix: MORE_MEMORY };
const BODY_DEPTH: ExceededLimit = {
  name: "body-depth",
  fix: "An API server stores no object that is so deep: find out who sends it.",
};
const CLIENT: ExceededLimit = {
  name: "client-certificate",
  fix: "Configure the certificate of the API server (docs/webhooks.md of tsop), or leave out `clients` of the webhooks.",
};
const REQUEST_MEMORY: ExceededLimit = {
  name: "request-memory",
  fix: `${MORE_MEMORY} If other clients than API servers send requests, narrow the NetworkPolicy or require client certificates (docs/webhooks.md of tsop).`,
  retryAfterSeconds: 1,
};

export const bodyTooLarge = (maxBytes: number): ReviewFailure =>
  new ReviewFailure(413, `the body has more than ${maxBytes} bytes`, {
    limit: maxBytes === ADMISSION_MAX_BYTES ? ADMISSION_BYTES : BODY_BYTES,
  });

export const untrusted = (problem: string): ReviewFailure =>
  new ReviewFailure(401, problem, { limit: CLIENT });

export const outOfMemory = ({ maxBytes }: RequestMemory): ReviewFailure =>
  new ReviewFailure(
    503,
    `the requests that are under way take all ${inMib(maxBytes)} that they can have together`,
    { limit: REQUEST_MEMORY },
  );

/**
 * The memory that a review takes, which is taken.
 *
 * @param growth - as in `ServedPath`
 * @throws ReviewFailure 400, 413 for what never fits, 503 for what does not fit now
 */
export function takeMemory(memory: RequestMemory, body: Buffer, growth: number): number {
  const bytes = Math.ceil(growth * jsonCost(body));
  if (bytes === Infinity) {
    throw new ReviewFailure(400, `the body nests more than ${MAX_DEPTH} levels`, {
      limit: BODY_DEPTH,
    });
  }
  if (bytes > memory.largestBytes) {
    throw new ReviewFailure(
      413,
      `the body of ${body.length} bytes would take about ${inMib(bytes)} of memory, and one request can have ${inMib(memory.largestBytes)}`,
      { limit: BODY_MEMORY },
    );
  }
  if (!memory.take(bytes, true)) throw outOfMemory(memory);
  return bytes;
}

/** Logs that a limit was exceeded; other failures are logged where they are known. */
export function tellRefusal(
  refusals: Refusals,
  what: string,
  { message, limit }: ReviewFailure,
): void {
  if (limit) refusals.tell({ limit: limit.name, message: `${what}: ${message}.`, fix: limit.fix });
}

const inMib = (bytes: number): string => `${Math.ceil(bytes / MIB)} MiB`;
