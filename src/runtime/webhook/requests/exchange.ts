/**
 * One request for a review and its answer, whoever read the request: counted, traced, and given up when nobody waits.
 */
import type { Clock } from "../../../clock.ts";
import type { PlacedSpan, Tracing } from "../../tracing/tracing.ts";
import { Patience, patienceOf } from "./patience.ts";
import { failureReply, type Reply, ReviewFailure, UNREAD } from "./replies.ts";
import { type PathRequest, replyOf, type ServedPath } from "./served-path.ts";

/** The head of a request to a path that is served. */
export interface Asked extends Omit<PathRequest, "body"> {
  readonly pathname: string;
  /** Without the question mark. */
  readonly query: string;
}

export class Exchanges {
  readonly #clock: Clock;
  readonly #tracing: Tracing | undefined;
  readonly #waiting = new Set<Exchange>();
  #begun = 0;

  /** @param tracing - makes a span of each review; none when absent */
  constructor(clock: Clock, tracing: Tracing | undefined) {
    this.#clock = clock;
    this.#tracing = tracing;
  }

  /** The number of requests so far. */
  get begun(): number {
    return this.#begun;
  }

  begin(path: ServedPath, asked: Asked): Exchange {
    this.#begun++;
    const span = this.#tracing?.review(asked.pathname, asked.headers);
    const patience = new Patience(this.#clock, patienceOf(asked.query, path.defaultTimeoutMs));
    return new Exchange(path, asked, { span, patience, waiting: this.#waiting });
  }

  /** Tells all handlers that are at work. */
  giveUp(reason: ReviewFailure): void {
    for (const exchange of this.#waiting) exchange.giveUp(reason);
  }
}

interface ExchangeParts {
  readonly span: PlacedSpan | undefined;
  readonly patience: Patience;
  /** Those whose handlers are at work. */
  readonly waiting: Set<Exchange>;
}

/** One of them. Every reply is followed by one call of `answered`. */
export class Exchange {
  readonly #path: ServedPath;
  readonly #asked: Asked;
  readonly #parts: ExchangeParts;
  readonly #counted: (status: number) => void;

  constructor(path: ServedPath, asked: Asked, parts: ExchangeParts) {
    this.#path = path;
    this.#asked = asked;
    this.#parts = parts;
    this.#counted = path.metrics.began();
  }

  /** What is answered to a body, or to why there is none: at once, unless a handler takes its time. Never rejects. */
  reply(body: Buffer | ReviewFailure): Reply | Promise<Reply> {
    if (body instanceof ReviewFailure) return failureReply(UNREAD, body);
    const { span, patience, waiting } = this.#parts;
    const { method, headers } = this.#asked;
    const answer = (): Reply | Promise<Reply> =>
      replyOf(this.#path, { method, headers, body }, patience);
    const reply = span ? span.run(answer) : answer();
    if (reply instanceof Promise) waiting.add(this);
    return reply;
  }

  /** It was answered, or there was nobody left to answer. */
  answered(status: number): void {
    this.#parts.waiting.delete(this);
    this.#counted(status);
    this.#parts.span?.answered(status);
  }

  /** Nobody waits for the answer any more. */
  giveUp(reason = new ReviewFailure(504, "the client no longer waits for the answer")): void {
    this.#parts.patience.end(reason);
  }
}
