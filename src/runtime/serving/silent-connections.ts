/**
 * Connections on which no request has come yet. Only so many of them are kept: whoever opens a thousand and says nothing
 * loses the oldest, and the API server always gets in.
 */
import type { Socket } from "node:net";

export class SilentConnections {
  readonly #max: number;
  // In the order in which they came.
  readonly #silent = new Map<string, Socket>();

  constructor(max: number) {
    this.#max = max;
  }

  opened(socket: Socket): void {
    const id = idOf(socket);
    this.#silent.set(id, socket);
    // Its own address is unknown by then.
    socket.once("close", () => {
      if (this.#silent.get(id) === socket) this.#silent.delete(id);
    });
    if (this.#silent.size <= this.#max) return;
    const [oldest] = this.#silent.values();
    oldest?.destroy();
  }

  /** Ends all of them: a client that opens connections in advance would delay the end of its server. */
  end(): void {
    for (const socket of this.#silent.values()) socket.destroy();
  }

  /** A request came in on a connection, or on the one that encrypts it. */
  spoke(socket: Socket): void {
    if (this.#silent.size > 0) this.#silent.delete(idOf(socket));
  }
}

/** The encrypted connection has another object, and the same other end. */
function idOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
