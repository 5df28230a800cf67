/** The requests that `node:http` reads in this process, whichever server they came to. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

const CHANNEL = "http.server.request.start";

/** Notes them until `stop`. */
export class NodeRequests {
  readonly read: IncomingMessage[] = [];

  constructor() {
    subscribe(CHANNEL, this.#note);
  }

  /** The targets of those so far. */
  get urls(): string[] {
    return this.read.map(({ url = "" }) => url);
  }

  stop(): void {
    unsubscribe(CHANNEL, this.#note);
  }

  // What Node says of it in its documentation, and not in its types.
  readonly #note = (message: unknown): void => {
    this.read.push((message as { readonly request: IncomingMessage }).request);
  };
}
