/**
 * The requests that `node:http` reads in this process, whichever server they came to.
 *
 * @module
 */
import { channel } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

/** Notes them until `stop`. */
export class NodeRequests {
  readonly read: IncomingMessage[] = [];
  readonly #channel = channel("http.server.request.start");

  constructor() {
    this.#channel.subscribe(this.#note);
  }

  /** The targets of those so far. */
  get urls(): string[] {
    return this.read.map(({ url = "" }) => url);
  }

  stop(): void {
    this.#channel.unsubscribe(this.#note);
  }

  // What Node says of it in its documentation, and not in its types.
  readonly #note = (message: unknown): void => {
    this.read.push((message as { readonly request: IncomingMessage }).request);
  };
}
