/** A transport whose watches a test ends when it wants to. */
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../../src/runtime/transport/transport.ts";

/** Ends the bodies of all open watches: with a broken connection, or an event of the test's own. */
export class BreakableTransport implements Transport {
  readonly server: string;
  readonly #inner: Transport;
  readonly #open = new Set<(end: Uint8Array | undefined) => void>();

  constructor(inner: Transport) {
    this.#inner = inner;
    this.server = inner.server;
  }

  /** @param last - what the server seems to say at the end */
  end(last?: object): void {
    const bytes = last && Buffer.from(`${JSON.stringify(last)}\n`);
    for (const end of [...this.#open]) end(bytes);
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.#inner.request(request);
    if (!request.path.includes("watch=true")) return response;
    return { ...response, body: this.#body(response) };
  }

  close(): void {
    this.#inner.close();
  }

  async *#body(response: TransportResponse): AsyncGenerator<Uint8Array> {
    const pieces = response.body[Symbol.asyncIterator]();
    const ended = new Promise<{ readonly last: Uint8Array | undefined }>((resolve) => {
      this.#open.add((last) => {
        resolve({ last });
      });
    });
    for (;;) {
      const piece = pieces.next();
      const next = await Promise.race([piece, ended]);
      if ("last" in next) {
        this.#open.clear();
        piece.catch(() => undefined);
        response.cancel();
        if (next.last) yield next.last;
        else throw new ConnectionError("reset", this.server, "broken by the test");
        return;
      }
      if (next.done === true) return;
      yield next.value;
    }
  }
}
