/** The paths of the webhook server, and the way from a request to a reply. */
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { messageOf } from "../../../errors.ts";
import { CONVERSION_PATH, isConversionPath } from "../../../kube/webhooks/webhook-marks.ts";
import { parseExactBytes } from "../../rest/json/exact-json.ts";
import type { Patience } from "./patience.ts";
import { type AskedReview, failureReply, type Reply, ReviewFailure, UNREAD } from "./replies.ts";
import type { PathMetrics } from "./webhook-metrics.ts";

const JSON_TYPE = "application/json";

export interface ServedPath {
  /** In the log and in spans: a path of conversions is unguessable. */
  readonly name: string;
  readonly metrics: PathMetrics;
  readonly maxBytes: number;
  /** The memory of a review, as a multiple of what reading its body takes: a handler can make copies. */
  readonly growth: number;
  /** Whether it is served to clients whose certificate was not verified, too: API servers have none for conversions. */
  readonly isForAll: boolean;
  /** How long an answer may take where the request does not say. */
  readonly defaultTimeoutMs: number;
  /** How a body is to be answered, as far as it can be read. */
  askedBy(body: unknown): AskedReview;
  /** @throws ReviewFailure */
  answer(
    body: unknown,
    asked: AskedReview,
    patience: Patience,
    pathname: string,
  ): Reply | Promise<Reply>;
  /** Told of what nobody foresaw, such as an answer that has no JSON. */
  broken(error: unknown): void;
}

/** Finds what is served at a path. */
export const servedAt = (
  paths: ReadonlyMap<string, ServedPath>,
  pathname: string,
): ServedPath | undefined =>
  paths.get(pathname) ?? (isConversionPath(pathname) ? paths.get(CONVERSION_PATH) : undefined);

export interface PathRequest {
  readonly pathname: string;
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Called before the body is parsed: takes the memory for it. @throws ReviewFailure */
  readonly take: (body: Buffer) => void;
}

/** The answer of a request, whatever it is: at once, unless a handler takes its time. Never rejects. */
export function replyOf(
  path: ServedPath,
  request: PathRequest,
  patience: Patience,
): Reply | Promise<Reply> {
  let asked = UNREAD;
  const failed = (error: unknown): Reply => {
    if (error instanceof ReviewFailure) return failureReply(asked, error);
    path.broken(error);
    return failureReply(asked, new ReviewFailure(500, messageOf(error)));
  };
  try {
    const body = parsed(request);
    asked = path.askedBy(body);
    const reply = path.answer(body, asked, patience, request.pathname);
    return reply instanceof Promise ? reply.catch(failed) : reply;
  } catch (error) {
    return failed(error);
  }
}

/** @throws ReviewFailure */
function parsed({ method, headers, body: bytes, take }: PathRequest): unknown {
  if (method !== "POST") throw new ReviewFailure(405, "a review must be requested with POST");
  if (bytes.length === 0) throw new ReviewFailure(400, "the request has no body");
  const { "content-type": type = "" } = headers;
  if (type !== JSON_TYPE && !isJsonType(type)) {
    throw new ReviewFailure(400, `the content type is ${type.slice(0, 100)}, not ${JSON_TYPE}`);
  }
  const { "content-encoding": encoding = "identity" } = headers;
  if (encoding !== "identity") {
    throw new ReviewFailure(
      415,
      `the body is encoded as ${encoding.slice(0, 100)}: send it without a content encoding`,
    );
  }
  take(bytes);
  if (!isUtf8(bytes)) throw new ReviewFailure(400, "the body is not UTF-8");
  try {
    return parseExactBytes(bytes, bytes.toString());
  } catch (error) {
    throw new ReviewFailure(400, `the body is not JSON: ${messageOf(error)}`);
  }
}

function isJsonType(type: string): boolean {
  const [essence = ""] = type.split(";", 1);
  return essence.trim().toLowerCase() === JSON_TYPE;
}
