/** A faulty TCP proxy between the operator and the API server. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { FaultyControlPlane } from "./control-plane.ts";

/**
 * `silent`: nothing is forwarded, nothing is closed. `reset`: every connection is reset, now and later. `cut`: each is
 * closed after some answers' bytes. `pieces`: bytes come one by one and a few at a time. `garbage`: answers are noise.
 * `half-open`: connections that are open then bring no more answers, and are never closed; new ones work.
 */
export type TcpHarm = "none" | "silent" | "reset" | "cut" | "pieces" | "garbage" | "half-open";

const CUT_BYTES = 20_000;
const PIECE_BYTES = 37;

/** Forwards connections to the API server. */
export class TcpProxy {
  harm: TcpHarm = "none";
  /** The number of connections that were opened. */
  opened = 0;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  /** Those that are half-open, also when the fault is over. */
  readonly #deaf = new WeakSet<Socket>();
  readonly #server: Server;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => {
      this.#accept(client);
    });
  }

  /** Listens on a free port. */
  static async start(plane: FaultyControlPlane): Promise<TcpProxy> {
    const proxy = new TcpProxy(plane.port);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get server(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the fault; `reset` also resets the open connections. */
  set(harm: TcpHarm): void {
    this.harm = harm;
    if (harm === "reset") this.#resetAll();
    if (harm === "half-open") for (const socket of this.#sockets) this.#deaf.add(socket);
  }

  /** Ends the proxy and its connections. */
  stop(): void {
    this.#server.close();
    this.#resetAll();
  }

  #resetAll(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  #accept(client: Socket): void {
    this.opened++;
    if (this.harm === "reset") {
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.#target, "127.0.0.1");
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        // A proxy that drops silently does not report the end of the other side either.
        if (this.harm !== "silent" && !this.#deaf.has(socket)) other.destroy();
      });
    }
    // A connection that lost bytes never works again, although neither side is told.
    let isDead = false;
    const dies = (): boolean => (isDead ||= this.harm === "silent");
    client.on("data", (bytes) => {
      if (!dies()) server.write(bytes);
    });
    let answered = 0;
    server.on("data", (bytes) => {
      answered += bytes.length;
      if (!dies() && !this.#deaf.has(client)) this.#answer(client, bytes, answered);
    });
  }

  #answer(client: Socket, bytes: Buffer, answered: number): void {
    switch (this.harm) {
      case "garbage":
        client.write(randomBytes(bytes.length));
        return;
      case "cut":
        if (answered > CUT_BYTES) client.destroy();
        else client.write(bytes);
        return;
      case "pieces":
        for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
          client.write(bytes.subarray(at, at + PIECE_BYTES));
        }
        return;
      case "silent":
      case "reset":
      case "half-open":
      case "none":
        client.write(bytes);
    }
  }
}
