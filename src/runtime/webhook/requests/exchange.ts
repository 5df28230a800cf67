/**
 * One request for a review and its answer, whoever read the request: counted, traced, within the memory for requests, and given up when nobody waits.
 */
import type { Clock } from "../../../clock.ts";
import type { Refusals } from "../../serving/refusals.ts";
import type { RequestMemory } from "../../serving/request-memory.ts";
import type { PlacedSpan, Tracing } from "../../tracing/tracing.ts";
import { LargeTurns } from "./large-turns.ts";
import { Patience, patienceOf } from "./patience.ts";
import { failureReply, type Reply, ReviewFailure, UNREAD } from "./replies.ts";
import { outOfMemory, takeMemory, tellRefusal } from "./request-limits.ts";
import { type PathRequest, replyOf, type ServedPath } from "./served-path.ts";

/** A larger body is read in a turn of its own, and a larger answer is counted until it is sent. */
const LARGE_BYTES = 256 * 1024;

/** The head of a request to a path that is served. */
export interface Asked extends Omit<PathRequest, "body" | "take"> {
  /** Without the question mark. */
  readonly query: string;
}

/** The common parts of all exchanges of a server. */
export interface ExchangesParts {
  readonly clock: Clock;
  /** Makes a span of each review; none when absent. */
  readonly tracing: Tracing | undefined;
  readonly memory: RequestMemory;
  readonly refusals: Refusals;
}

export class Exchanges {
  readonly #parts: ExchangesParts;
  readonly #waiting = new Set<Exchange>();
  readonly #turns = new LargeTurns();
  #begun = 0;

  constructor(parts: ExchangesParts) {
    this.#parts = parts;
  }

  /** The number of requests so far. */
  get begun(): number {
    return this.#begun;
  }

  begin(path: ServedPath, asked: Asked): Exchange {
    this.#begun++;
    const { clock, tracing } = this.#parts;
    const span = tracing?.review(path.name, asked.headers);
    const patience = new Patience(clock, patienceOf(asked.query, path.defaultTimeoutMs));
    const { memory, refusals } = this.#parts;
    const waiting = this.#waiting;
    const turns = this.#turns;
    return new Exchange(path, asked, { span, patience, waiting, memory, refusals, turns });
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
  readonly memory: RequestMemory;
  readonly refusals: Refusals;
  readonly turns: LargeTurns;
}

/** One of them. Every reply is followed by one call of `answered`. */
export class Exchange {
  readonly #path: ServedPath;
  readonly #asked: Asked;
  readonly #parts: ExchangeParts;
  readonly #counted: (status: number) => void;
  #taken = 0;
  #gone: ReviewFailure | undefined;

  constructor(path: ServedPath, asked: Asked, parts: ExchangeParts) {
    this.#path = path;
    this.#asked = asked;
    this.#parts = parts;
    this.#counted = path.metrics.began();
  }

  /** What is answered to a body, or to why there is none: at once, unless a handler takes its time, or the body is large. Never rejects. */
  reply(body: Buffer | ReviewFailure): Reply | Promise<Reply> {
    if (body instanceof ReviewFailure) {
      this.#refused(body);
      return failureReply(UNREAD, body);
    }
    const reply = body.length > LARGE_BYTES ? this.#inTurn(body) : this.#answer(body);
    if (reply instanceof Promise) this.#parts.waiting.add(this);
    return reply;
  }

  #inTurn(body: Buffer): Reply | Promise<Reply> {
    const { memory, turns } = this.#parts;
    if (!memory.take(body.length, false)) {
      const failed = outOfMemory(memory);
      this.#refused(failed);
      return failureReply(UNREAD, failed);
    }
    this.#taken = body.length;
    return turns.next().then(() => {
      this.#giveBack(0);
      return this.#gone ? failureReply(UNREAD, this.#gone) : this.#answer(body);
    });
  }

  #answer(body: Buffer): Reply | Promise<Reply> {
    const { span, patience } = this.#parts;
    const { pathname, method, headers } = this.#asked;
    const answer = (): Reply | Promise<Reply> =>
      replyOf(this.#path, { pathname, method, headers, body, take: this.#take }, patience);
    return span ? span.run(answer) : answer();
  }

  readonly #take = (body: Buffer): void => {
    try {
      this.#taken = takeMemory(this.#parts.memory, body, this.#path.growth);
    } catch (error) {
      this.#refused(error as ReviewFailure);
      throw error;
    }
  };

  #refused(failed: ReviewFailure): void {
    tellRefusal(this.#parts.refusals, `A request to ${this.#path.name} was refused`, failed);
  }

  /**
   * A reply is being sent: the parts of the request are not needed any more.
   *
   * @param giveUp - ends the connection of a client that does not take the reply, if others need the memory
   * @returns undefined for a short reply, which needs no more attention; what is called once the reply is sent, or never can be
   */
  sending({ body, status }: Reply, giveUp: () => void): (() => void) | undefined {
    if (body.length <= LARGE_BYTES) {
      this.answered(status);
      return undefined;
    }
    const { memory } = this.#parts;
    const waiting = {
      giveUp: () => {
        // Its connection is closed later only, and others have the memory by then.
        this.#giveBack(0);
        giveUp();
      },
    };
    // The text, and its bytes. It exists already, so it is counted if that is possible.
    const textBytes = 2 * body.length;
    const moreBytes = textBytes - this.#taken;
    if (moreBytes > 0 && memory.take(moreBytes, false)) this.#taken = textBytes;
    this.#giveBack(Math.min(this.#taken, textBytes));
    memory.waits(waiting);
    return () => {
      memory.goesOn(waiting);
      this.answered(status);
    };
  }

  /** It was answered, or there was nobody left to answer. Further calls do nothing. */
  answered(status: number): void {
    this.#giveBack(0);
    this.#parts.waiting.delete(this);
    this.#counted(status);
    this.#parts.span?.answered(status);
  }

  /** Nobody waits for the answer any more. */
  giveUp(reason = new ReviewFailure(504, "the client no longer waits for the answer")): void {
    this.#gone = reason;
    this.#parts.patience.end(reason);
  }

  #giveBack(rest: number): void {
    this.#parts.memory.giveBack(this.#taken - rest);
    this.#taken = rest;
  }
}
