/**
 * The connections of a server, shared among those who open them: when there are as many as it may have, whoever has most of
 * them loses one to a newcomer who has fewer. So a stranger who holds all connections keeps nobody else out.
 *
 * A limit for each address was left: several API servers may come from one address, that of a proxy or a tunnel, and have more
 * requests under way at once than any number that would stop a stranger.
 */
import type { Socket } from "node:net";

export class SharedConnections {
  readonly #max: number;
  // Of each address in the order in which they came.
  readonly #byAddress = new Map<string, Set<Socket>>();
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** A connection was opened: it, or one of another address, is ended where there are too many. */
  opened(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const own = this.#byAddress.get(address) ?? new Set<Socket>();
    this.#byAddress.set(address, own.add(socket));
    this.#count++;
    socket.once("close", () => {
      this.#forget(address, socket);
    });
    if (this.#count <= this.#max) return;
    const [most = own] = [...this.#byAddress.values()].sort((one, other) => other.size - one.size);
    const [oldest] = most;
    const ended = most.size > own.size ? oldest : socket;
    ended?.destroy();
  }

  #forget(address: string, socket: Socket): void {
    const sockets = this.#byAddress.get(address);
    if (!sockets?.delete(socket)) return;
    this.#count--;
    if (sockets.size === 0) this.#byAddress.delete(address);
  }
}
