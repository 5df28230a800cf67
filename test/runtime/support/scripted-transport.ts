/**
 * A transport whose n-th request gets the n-th reply of a script, on a virtual clock.
 */
import type { VirtualClock } from "../../../src/clock.ts";
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../../../src/runtime/transport/transport.ts";

/** One step of a stream: an event, a pause, or text as it is. */
interface StreamStep {
  readonly pauseMs?: number;
  readonly raw?: string;
  readonly type?: string;
  readonly object?: unknown;
}

/** What a request is answered with. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly stream?: readonly StreamStep[];
  readonly then?: "close" | "reset" | "hang";
  /** The connection is cut before an answer. */
  readonly reset?: boolean;
}

/** A request as it came in, and how long after the end of the answer before. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly sincePreviousMs: number | undefined;
}

/** Answers by script; when that is used up, with an empty stream that stays open. */
export class ScriptedTransport implements Transport {
  readonly server = "https://scripted:6443";
  readonly seen: SeenRequest[] = [];
  readonly #clock: VirtualClock;
  readonly #replies: Reply[];
  #endedAtMs: number | undefined;
  // A connection whose last answer ended properly is used again; a cut there may be retried at once.
  #idle = 0;

  constructor(clock: VirtualClock, replies: readonly Reply[]) {
    this.#clock = clock;
    this.#replies = [...replies];
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const url = new URL(request.path, this.server);
    this.seen.push({
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      body: request.body === undefined ? undefined : JSON.parse(request.body),
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
    const headers = Object.entries(reply.headers ?? {}).map(([name, value]) => [
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
