/**
 * A scripted server: the n-th request gets the n-th reply. For tests of a client's reaction to one
 * answer, down to the bytes and the milliseconds; for all other tests there is a control plane.
 */
import type { Clock } from "../../clock.ts";
import {
  ConnectionError,
  type ConnectionFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "./transport.ts";

/** One step of a stream: an event, a pause, or text. */
interface StreamStep {
  readonly pauseMs?: number;
  readonly raw?: string | Uint8Array;
  readonly type?: string;
  readonly object?: unknown;
}

/** The answer to a request. */
export interface Reply {
  /** The status code; 200 when absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body: a string is sent as it is, other values as JSON. */
  readonly body?: unknown;
  /** The steps after the body, piece by piece. */
  readonly stream?: readonly StreamStep[];
  /**
   * The end of the answer: `close` when absent. `hang` stays open until the request is given up.
   */
  readonly then?: "close" | "reset" | "hang";
  /** Cuts the connection before an answer. */
  readonly reset?: boolean;
  /** Fails without a connection, for this reason. */
  readonly fails?: ConnectionFailure;
}

/**
 * A received request, and the time since the end of the previous answer (`undefined` for the first
 * one).
 */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly sincePreviousMs: number | undefined;
}

/**
 * Answers by a script; after its end, with an empty stream that stays open.
 *
 * @example
 * const clock = new VirtualClock();
 * const transport = new ScriptedTransport(clock, [{ status: 503 }, { body: web }]);
 * const scripted = createManager({ transport, clock });
 */
export class ScriptedTransport implements Transport {
  readonly server = "https://scripted:6443";
  /** All requests so far, in order. */
  readonly seen: SeenRequest[] = [];
  readonly #clock: Clock;
  readonly #replies: Reply[];
  #endedAtMs: number | undefined;
  // A connection whose last answer ended properly is used again; if it breaks, the request may be
  // retried at once.
  #idle = 0;

  /** @param clock - a `VirtualClock`, so that pauses take no time */
  constructor(clock: Clock, replies: readonly Reply[]) {
    this.#clock = clock;
    this.#replies = [...replies];
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const url = new URL(request.path, this.server);
    this.seen.push({
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      body: request.body === undefined ? undefined : (JSON.parse(request.body) as unknown),
      sincePreviousMs:
        this.#endedAtMs === undefined ? undefined : this.#clock.monotonicMs() - this.#endedAtMs,
    });
    const reusedConnection = this.#idle > 0;
    if (reusedConnection) this.#idle--;
    const reply = this.#replies.shift() ?? { then: "hang" };
    if (reply.reset) {
      this.#endedAtMs = this.#clock.monotonicMs();
      throw new ConnectionError("reset", this.server, "cut", { reusedConnection });
    }
    if (reply.fails) throw new ConnectionError(reply.fails, this.server, "by script");
    const headers = Object.entries(reply.headers ?? {}).map(([name, value]): [string, string] => [
      name.toLowerCase(),
      value,
    ]);
    return {
      status: reply.status ?? 200,
      headers: Object.fromEntries(headers),
      body: this.#body(reply, request.signal),
      cancel: () => {
        this.#endedAtMs = this.#clock.monotonicMs();
      },
    };
  }

  close(): void {
    this.#idle = 0;
  }

  async *#body(reply: Reply, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      if (reply.body !== undefined) {
        const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body);
        yield Buffer.from(text);
      }
      for (const step of reply.stream ?? []) {
        if (step.pauseMs !== undefined) await this.#clock.sleep(step.pauseMs, signal);
        else if (step.raw instanceof Uint8Array) yield step.raw;
        else yield Buffer.from(step.raw ?? `${JSON.stringify(step)}\n`);
      }
      if (reply.then === "hang") await this.#clock.sleep(2 ** 40, signal);
      if (reply.then === "reset") throw new ConnectionError("reset", this.server, "cut");
      this.#idle++;
    } finally {
      this.#endedAtMs = this.#clock.monotonicMs();
    }
  }
}
