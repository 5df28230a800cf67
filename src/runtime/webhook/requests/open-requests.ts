/**
 * The requests that `node:http` has read and that are not answered: a client can send any number of them without waiting, on each connection. They take their memory from that of all requests.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Refusals } from "../../serving/refusals.ts";
import type { RequestMemory } from "../../serving/request-memory.ts";
import { outOfMemory, tellRefusal } from "./request-limits.ts";

/** What Node.js keeps of a request: its head, and both of its objects. */
const REQUEST_BYTES = 8 * 1024;

export class OpenRequests {
  readonly #memory: RequestMemory;
  readonly #refusals: Refusals;
  readonly #bytes = new Map<Socket, number>();

  constructor(memory: RequestMemory, refusals: Refusals) {
    this.#memory = memory;
    this.#refusals = refusals;
  }

  /** A request came in; false when its connection was ended, because there is no memory for it. */
  began(socket: Socket, response: ServerResponse): boolean {
    if (!this.#memory.take(REQUEST_BYTES, true)) {
      tellRefusal(this.#refusals, "A connection was ended", outOfMemory(this.#memory));
      socket.destroy();
      return false;
    }
    const known = this.#bytes.get(socket);
    if (known === undefined) {
      // The answers behind the first one are not told of the end of their connection.
      socket.once("close", () => {
        this.#memory.giveBack(this.#bytes.get(socket) ?? 0);
        this.#bytes.delete(socket);
      });
    }
    this.#bytes.set(socket, (known ?? 0) + REQUEST_BYTES);
    response.once("finish", () => {
      const bytes = this.#bytes.get(socket);
      if (bytes === undefined) return;
      this.#bytes.set(socket, bytes - REQUEST_BYTES);
      this.#memory.giveBack(REQUEST_BYTES);
    });
    return true;
  }
}
