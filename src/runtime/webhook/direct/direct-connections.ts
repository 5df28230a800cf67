/** The connections of a server that `node:http` does not read. */
import type { TLSSocket } from "node:tls";
import type { Clock } from "../../../clock.ts";
import { DirectConnection, type DirectParts } from "./direct-connection.ts";

// Longer than a body takes that is sent without a pause; a second more is what a stranger gains who sends slowly.
const WATCH_MS = 1000;

/** Those that are open. */
export class DirectConnections {
  readonly #clock: Clock;
  readonly #parts: DirectParts;
  readonly #open = new Set<DirectConnection>();
  #isWatching = false;

  constructor(clock: Clock, parts: DirectParts) {
    this.#clock = clock;
    this.#parts = parts;
  }

  /** A connection was opened: its certificates are verified, and nothing was read. */
  opened(socket: TLSSocket): void {
    const connection = new DirectConnection(socket, {
      ...this.#parts,
      handOver: (handed) => {
        this.#open.delete(connection);
        this.#parts.handOver(handed);
      },
    });
    this.#open.add(connection);
    socket.once("close", () => {
      this.#open.delete(connection);
    });
    this.#watch();
  }

  /** Ends those on which nothing is under way. */
  endIdle(): void {
    for (const connection of this.#open) connection.endIdle();
  }

  /** Ends all of them at once. */
  destroy(): void {
    for (const connection of this.#open) connection.destroy();
  }

  /** One timer for all of them, and none where there are none. */
  #watch(): void {
    if (this.#isWatching || this.#open.size === 0) return;
    this.#isWatching = true;
    const look = (): void => {
      this.#isWatching = false;
      for (const connection of this.#open) connection.watch();
      this.#watch();
    };
    this.#clock.after(WATCH_MS, look, { unref: true });
  }
}
