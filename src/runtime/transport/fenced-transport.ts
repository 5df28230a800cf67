/**
 * Refuses writes of a process that is no longer the leader: after a stop, or with a blocked event
 * loop, a process may still take itself for the leader.
 */
import type { Clock, Timer } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type UpgradeAnswer,
} from "./transport.ts";
import { noUpgrade } from "./upgraded-connection.ts";

// The longest time between sending a request and its execution by the server: the time between two
// terms, with client-go's times for an election.
const LONGEST_WAY_MS = 5000;

// Reviews and dry runs store nothing. Webhooks that make them are also called in a process that has released its Lease.
const STORES_NOTHING = /^\/apis\/(?:authentication|authorization)\.k8s\.io\/|[?&]dryRun=All(?:&|$)/;

/**
 * The time until which this process may write, on the monotonic clock; `undefined` before it was
 * ever the leader.
 */
export type Term = () => number | undefined;

/** Refuses writes after the end of the term, and gives up those without an answer then. */
export class FencedTransport implements Transport {
  readonly #inner: Transport;
  readonly #clock: Clock;
  readonly #endsAtMs: Term;
  #unansweredAtMs: number | undefined;
  #open = 0;
  #isSealed = false;

  constructor(inner: Transport, clock: Clock, endsAtMs: Term) {
    this.#inner = inner;
    this.#clock = clock;
    this.#endsAtMs = endsAtMs;
  }

  /** Whether no write can still be on its way to the server; one without an answer may be. */
  get settled(): boolean {
    if (this.#open > 0) return false;
    if (this.#unansweredAtMs === undefined) return true;
    return this.#clock.monotonicMs() - this.#unansweredAtMs > LONGEST_WAY_MS;
  }

  /** Refuses all further writes of a process with a term: its Lease is about to be released. */
  seal(): void {
    this.#isSealed = true;
  }

  /** @throws TsopError `leadership-lost` for a write after the end of the term */
  async request(request: TransportRequest): Promise<TransportResponse> {
    const isWrite = request.method !== "GET" && !STORES_NOTHING.test(request.path);
    if (!isWrite || this.#endsAtMs() === undefined) return this.#inner.request(request);
    // Checked again when the connection is ready: a process may have been stopped while it
    // connected.
    const lastCheck = (): void => {
      if (this.#leftMs <= 0) throw notSent(request);
    };
    lastCheck();
    request.signal?.throwIfAborted();
    const term = this.#termOf(request.signal);
    this.#open++;
    try {
      return await this.#inner.request({ ...request, signal: term.signal, lastCheck });
    } catch (error) {
      if (mayHaveGone(error)) this.#unansweredAtMs = this.#clock.monotonicMs();
      throw error;
    } finally {
      this.#open--;
      term.clear();
    }
  }

  /**
   * Upgrades a connection, and closes it with the term: its messages may change something.
   *
   * @throws TsopError `leadership-lost` after the end of the term
   */
  async upgrade(request: TransportRequest): Promise<UpgradeAnswer> {
    if (!this.#inner.upgrade) throw noUpgrade(this.server);
    if (this.#endsAtMs() === undefined) return this.#inner.upgrade(request);
    const lastCheck = (): void => {
      if (this.#leftMs <= 0) throw notSent(request);
    };
    lastCheck();
    request.signal?.throwIfAborted();
    const term = this.#termOf(request.signal);
    this.#open++;
    const end = (): void => {
      this.#open--;
      term.clear();
    };
    try {
      const answer = await this.#inner.upgrade({ ...request, signal: term.signal, lastCheck });
      if ("status" in answer) end();
      else void answer.closed.then(end);
      return answer;
    } catch (error) {
      end();
      throw error;
    }
  }

  get server(): string {
    return this.#inner.server;
  }

  close(): void {
    this.#inner.close();
  }

  get isQuiet(): boolean | undefined {
    return this.#inner.isQuiet;
  }

  get #leftMs(): number {
    if (this.#isSealed) return -Infinity;
    return (this.#endsAtMs() ?? -Infinity) - this.#clock.monotonicMs();
  }

  /** A signal that aborts at the end of the term, including renewals, or with its parent. */
  #termOf(parent: AbortSignal | undefined): { readonly signal: AbortSignal; clear(): void } {
    const over = new AbortController();
    const follow = (): void => {
      over.abort(parent?.reason);
    };
    const wait = (): Timer =>
      this.#clock.after(
        Math.max(this.#leftMs, 1),
        () => {
          if (this.#leftMs > 0) timer = wait();
          else over.abort(new DOMException("no answer before the end of the term", "TimeoutError"));
        },
        { unref: true },
      );
    let timer = wait();
    parent?.addEventListener("abort", follow, { once: true });
    return {
      signal: over.signal,
      clear() {
        timer.cancel();
        parent?.removeEventListener("abort", follow);
      },
    };
  }
}

/** Whether the server may have seen the request that failed so. */
function mayHaveGone(error: unknown): boolean {
  if (error instanceof TsopError && error.code === "leadership-lost") return false;
  return !(error instanceof ConnectionError && error.failure === "refused");
}

function notSent({ method, path }: TransportRequest): TsopError {
  return new TsopError(
    "leadership-lost",
    `${method} ${path} was not sent: this process is no longer the leader, or cannot be sure that it is.`,
    "No action is needed: the process that is the leader now does the work.",
  );
}
