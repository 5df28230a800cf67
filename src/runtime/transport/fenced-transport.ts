/**
 * Lets nobody write who does not lead any more: a process that was stopped for a while, or whose event loop was
 * blocked, wakes up believing that it still does.
 *
 * @module
 */
import { timeoutSignal, type Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "./transport.ts";

// What may lie between sending a request and the server's carrying it out: the time between two terms, with client-go's
// times for an election.
const LONGEST_WAY_MS = 5000;

/** Until when this process may write, on the monotonic clock; `undefined` while it has never led. */
export type Term = () => number | undefined;

/** A transport that refuses writes once the term is over, and gives up those that have no answer by then. */
export class FencedTransport implements Transport {
  readonly server: string;
  readonly #inner: Transport;
  readonly #clock: Clock;
  readonly #endsAtMs: Term;
  #unansweredAtMs: number | undefined;

  constructor(inner: Transport, clock: Clock, endsAtMs: Term) {
    this.server = inner.server;
    this.#inner = inner;
    this.#clock = clock;
    this.#endsAtMs = endsAtMs;
  }

  /** Whether no write is on its way to the server any more, as far as one can know: one that got no answer may be. */
  get settled(): boolean {
    if (this.#unansweredAtMs === undefined) return true;
    return this.#clock.monotonicMs() - this.#unansweredAtMs > LONGEST_WAY_MS;
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
    request.signal?.throwIfAborted();
    const limit = timeoutSignal(this.#clock, leftMs, request.signal);
    try {
      return await this.#inner.request({ ...request, signal: limit.signal });
    } catch (error) {
      const refused = error instanceof ConnectionError && error.failure === "refused";
      if (!refused) this.#unansweredAtMs = this.#clock.monotonicMs();
      throw error;
    } finally {
      limit.clear();
    }
  }

  close(): void {
    this.#inner.close();
  }
}
