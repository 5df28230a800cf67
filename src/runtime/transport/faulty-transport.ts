/**
 * A transport with random faults, to test that an operator survives them. All random numbers come
 * from the clock, so that a `VirtualClock` with the same seed causes the same faults.
 */
import type { Clock } from "../../clock.ts";
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type UpgradeAnswer,
} from "./transport.ts";
import { noUpgrade } from "./upgraded-connection.ts";

/** The probabilities of faults, between 0 and 1; none when absent. */
export interface Faults {
  /** The connection is refused: the request was not carried out. */
  readonly refuse?: number;
  /** The connection breaks before the answer; half of the requests were carried out by then. */
  readonly reset?: number;
  /** The connection breaks in the middle of an answer or a watch; drawn for each piece of it. */
  readonly cut?: number;
  /**
   * Answers with a status code instead of the server's answer, such as `{ 429: 0.1, 500: 0.05 }`.
   */
  readonly status?: Readonly<Record<number, number>>;
  /** The longest delay of a request, in milliseconds; drawn for each. */
  readonly delayMs?: number;
}

/** The number of faults so far, by kind: `refuse`, `reset`, `cut`, or the status code. */
export type FaultCounts = Readonly<Record<string, number>>;

/**
 * Makes a share of the requests through another transport fail.
 *
 * @example
 * const transport = new FaultyTransport(inProcess(cluster), cluster.clock, { refuse: 0.1, cut: 0.01 });
 */
export class FaultyTransport implements Transport {
  readonly #inner: Transport;
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #counts = new Map<string, number>();
  #healthy = false;

  constructor(inner: Transport, clock: Clock, faults: Faults) {
    this.#inner = inner;
    this.#clock = clock;
    this.#faults = faults;
  }

  get counts(): FaultCounts {
    return Object.fromEntries(this.#counts);
  }

  /** Turns the faults off, or on again. */
  set healthy(healthy: boolean) {
    this.#healthy = healthy;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { delayMs = 0, refuse, reset, status = {} } = this.#faults;
    if (this.#healthy) return this.#inner.request(request);
    if (delayMs > 0) await this.#clock.sleep(delayMs * this.#clock.random(), request.signal);
    if (this.#happens("refuse", refuse)) throw this.#broken("refused");
    for (const [code, probability] of Object.entries(status)) {
      if (this.#happens(code, probability)) return refusal(Number(code));
    }
    if (this.#happens("reset", reset)) {
      if (this.#clock.random() < 0.5) (await this.#inner.request(request)).cancel();
      throw this.#broken("reset");
    }
    const response = await this.#inner.request(request);
    return { ...response, body: this.#body(response) };
  }

  async upgrade(request: TransportRequest): Promise<UpgradeAnswer> {
    if (!this.#inner.upgrade) throw noUpgrade(this.server);
    if (this.#happens("refuse", this.#faults.refuse)) throw this.#broken("refused");
    return this.#inner.upgrade(request);
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

  get clock(): Clock | undefined {
    return this.#inner.clock;
  }

  async *#body(response: TransportResponse): AsyncGenerator<Uint8Array> {
    for await (const piece of response.body) {
      if (this.#happens("cut", this.#faults.cut)) {
        yield piece.subarray(0, Math.floor(piece.length * this.#clock.random()));
        response.cancel();
        throw this.#broken("reset");
      }
      yield piece;
    }
  }

  #happens(fault: string, probability = 0): boolean {
    if (this.#healthy || probability === 0 || this.#clock.random() >= probability) return false;
    this.#counts.set(fault, (this.#counts.get(fault) ?? 0) + 1);
    return true;
  }

  #broken(failure: "refused" | "reset"): ConnectionError {
    return new ConnectionError(failure, this.server, "a fault of the test");
  }
}

function refusal(status: number): TransportResponse {
  const text = `a fault of the test: ${status}`;
  return {
    status,
    headers: { "content-type": "text/plain" },
    body: (async function* () {
      yield await Promise.resolve(Buffer.from(text));
    })(),
    cancel: () => undefined,
  };
}
