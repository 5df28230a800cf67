/**
 * Lets nobody write who does not lead any more: a process that was stopped for a while, or whose event loop was
 * blocked, wakes up believing that it still does.
 *
 * @module
 */
import { timeoutSignal, type Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

/** Until when this process may write, on the monotonic clock; `undefined` while it has never led. */
export type Term = () => number | undefined;

/** A transport that refuses writes once the term is over, and gives up those that have no answer by then. */
export class FencedTransport implements Transport {
  readonly server: string;
  readonly #inner: Transport;
  readonly #clock: Clock;
  readonly #endsAtMs: Term;

  constructor(inner: Transport, clock: Clock, endsAtMs: Term) {
    this.server = inner.server;
    this.#inner = inner;
    this.#clock = clock;
    this.#endsAtMs = endsAtMs;
  }

  /** @throws TsopError `leadership-lost` for a write after the end of the term */
  async request(request: TransportRequest): Promise<TransportResponse> {
    const endsAtMs = request.method === "GET" ? undefined : this.#endsAtMs();
    if (endsAtMs === undefined) return this.#inner.request(request);
    const leftMs = endsAtMs - this.#clock.monotonicMs();
    if (leftMs <= 0) {
      throw new TsopError(
        "leadership-lost",
        `${request.method} ${request.path} was not sent: this process leads no more, or cannot know that it does.`,
        "Nothing is to be done: the process that leads now does the work.",
      );
    }
    const limit = timeoutSignal(this.#clock, leftMs, request.signal);
    try {
      return await this.#inner.request({ ...request, signal: limit.signal });
    } finally {
      limit.clear();
    }
  }

  close(): void {
    this.#inner.close();
  }
}
