/** Requests as spans, whose context is sent to the server. */
import type { Clock } from "../../clock.ts";
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type UpgradeAnswer,
} from "../transport/transport.ts";
import { noUpgrade } from "../transport/upgraded-connection.ts";
import type { PlacedSpan, Tracing } from "./tracing.ts";

export class TracedTransport implements Transport {
  readonly #inner: Transport;
  readonly #tracing: Tracing;

  constructor(inner: Transport, tracing: Tracing) {
    this.#inner = inner;
    this.#tracing = tracing;
  }

  request(request: TransportRequest): Promise<TransportResponse> {
    const span = this.#tracing.request(request, this.server);
    if (!span) return this.#inner.request(request);
    return traced(span, () => this.#inner.request(withHeaders(request, span)));
  }

  async upgrade(request: TransportRequest): Promise<UpgradeAnswer> {
    if (!this.#inner.upgrade) throw noUpgrade(this.server);
    const span = this.#tracing.request(request, this.server);
    if (!span) return this.#inner.upgrade(request);
    const upgrade = this.#inner.upgrade.bind(this.#inner);
    return traced(span, () => upgrade(withHeaders(request, span)));
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
}

function withHeaders(request: TransportRequest, span: PlacedSpan): TransportRequest {
  return { ...request, headers: { ...request.headers, ...span.headers() } };
}

/** The span ends with the head of the answer: the body of a watch may take any time. */
async function traced<T extends UpgradeAnswer | TransportResponse>(
  span: PlacedSpan,
  send: () => Promise<T>,
): Promise<T> {
  try {
    const answer = await send();
    const status = "status" in answer ? answer.status : 101;
    span.set("http.response.status_code", status);
    if (status >= 400) {
      span.set("error.type", String(status));
      span.failSilently();
    }
    return answer;
  } catch (error) {
    const type = error instanceof ConnectionError ? error.failure : (error as Error).name;
    span.set("error.type", type);
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}
