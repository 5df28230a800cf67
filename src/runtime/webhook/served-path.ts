/**
 * What is served at a path, and how a request becomes a reply.
 *
 * @module
 */
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { messageOf } from "../../errors.ts";
import { parseExactBytes } from "../client/exact-json.ts";
import type { Patience } from "./patience.ts";
import { type AskedReview, failureReply, type Reply, ReviewFailure, UNREAD } from "./replies.ts";
import type { PathMetrics } from "./webhook-metrics.ts";

/** What is served at a path. */
export interface ServedPath {
  readonly metrics: PathMetrics;
  readonly maxBytes: number;
  /** How long an answer may take where the request does not say. */
  readonly defaultTimeoutMs: number;
  /** How a body is to be answered, as far as it can be read. */
  askedBy(body: unknown): AskedReview;
  /** @throws ReviewFailure */
  answer(body: unknown, asked: AskedReview, patience: Patience): Reply | Promise<Reply>;
  /** Told of what nobody foresaw, such as an answer that has no JSON. */
  broken(error: unknown): void;
}

/** A request whose body is still to come. */
export interface PathRequest {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** @throws ReviewFailure */
  readonly bytes: () => Promise<Buffer>;
}

/** The answer of a request, whatever it is. */
export async function replyOf(
  path: ServedPath,
  request: PathRequest,
  patience: Patience,
): Promise<Reply> {
  let asked = UNREAD;
  try {
    const bytes = await request.bytes();
    const body = parsed(request, bytes);
    asked = path.askedBy(body);
    return await path.answer(body, asked, patience);
  } catch (error) {
    if (error instanceof ReviewFailure) return failureReply(asked, error);
    path.broken(error);
    return failureReply(asked, new ReviewFailure(500, messageOf(error)));
  }
}

/** @throws ReviewFailure */
function parsed({ method, headers }: PathRequest, bytes: Buffer): unknown {
  if (method !== "POST") throw new ReviewFailure(405, "a review is asked for with POST");
  if (bytes.length === 0) throw new ReviewFailure(400, "the request has no body");
  const [type = ""] = (headers["content-type"] ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/json") {
    throw new ReviewFailure(400, `the content type is ${type.slice(0, 100)}, not application/json`);
  }
  if (!isUtf8(bytes)) throw new ReviewFailure(400, "the body is not UTF-8");
  try {
    return parseExactBytes(bytes, bytes.toString());
  } catch (error) {
    throw new ReviewFailure(400, `the body is not JSON: ${messageOf(error)}`);
  }
}
