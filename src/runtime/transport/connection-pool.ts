/**
 * The connections to one API server as one user: those that wait for their next request, the last one used first.
 *
 * @module
 */
import {
  connect as connectTcp,
  isIP,
  type OnReadOpts,
  type Socket,
  type TcpNetConnectOpts,
} from "node:net";
import { connect as connectTls, createSecureContext, type ConnectionOptions } from "node:tls";
import type { Clock } from "../../clock.ts";
import type { AnswerHead } from "./answer-parser.ts";
import { HttpConnection, type ConnectionKeeper, type Exchange } from "./http-connection.ts";

// The kernel asks a silent peer whether it is still there, as client-go's dialer does.
const TCP_KEEP_ALIVE_MS = 30_000;
const MAX_IDLE = 256;
// What is about to be closed by the server is not used any more.
const CLOSING_MS = 1000;

/** Where connections lead, and as whom. Certificates and keys are PEM. */
interface ConnectionTarget {
  readonly url: URL;
  readonly ca?: string | undefined;
  /** The name that the server's certificate must have, when it is not the host. */
  readonly serverName?: string | undefined;
  readonly skipTlsVerify?: boolean | undefined;
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

interface Idle {
  readonly connection: HttpConnection;
  /** The server closes it soon after that, on the monotonic clock. */
  readonly untilMs: number;
}

/** Makes connections, and keeps them. */
export class ConnectionPool implements ConnectionKeeper {
  readonly #clock: Clock;
  readonly #target: ConnectionTarget;
  readonly #idle: Idle[] = [];
  #tls: ConnectionOptions | undefined;
  // Lets the next connection do without half of the handshake.
  #session: Buffer | undefined;
  #closed = false;

  constructor(clock: Clock, target: ConnectionTarget) {
    this.#clock = clock;
    this.#target = target;
  }

  /** Sends a request over a connection that is its own for that time, and returns that. */
  send(exchange: Exchange): HttpConnection {
    const connection = this.#take() ?? this.#open();
    connection.send(exchange);
    return connection;
  }

  idle(connection: HttpConnection, { headers }: AnswerHead): void {
    if (this.#closed || this.#idle.length >= MAX_IDLE) {
      connection.destroy();
      return;
    }
    const seconds = /timeout=(\d+)/.exec(headers["keep-alive"] ?? "")?.[1];
    const leftMs = seconds === undefined ? Infinity : Number(seconds) * 1000 - CLOSING_MS;
    connection.keepsProcess = false;
    this.#idle.push({ connection, untilMs: this.#clock.monotonicMs() + leftMs });
  }

  gone(connection: HttpConnection): void {
    const index = this.#idle.findIndex((idle) => idle.connection === connection);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  /** Closes idle connections now, and those in use with the end of their request. */
  close(): void {
    this.#closed = true;
    for (const { connection } of this.#idle.splice(0)) connection.destroy();
  }

  #take(): HttpConnection | undefined {
    const nowMs = this.#clock.monotonicMs();
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.untilMs > nowMs) {
        idle.connection.keepsProcess = true;
        return idle.connection;
      }
      idle.connection.destroy();
    }
    return undefined;
  }

  #open(): HttpConnection {
    if (this.#target.url.protocol === "https:") {
      return new HttpConnection((onread) => this.#connectTls(onread), "secureConnect", this);
    }
    return new HttpConnection(
      (onread) => connectTcp({ ...this.#address(), onread }),
      "connect",
      this,
    );
  }

  #connectTls(onread: OnReadOpts): Socket {
    // Made once: to read the authorities' certificates takes longer than a handshake.
    this.#tls ??= this.#tlsOptions();
    const socket = connectTls({
      ...this.#tls,
      ...(this.#session ? { session: this.#session } : {}),
      onread,
    } as ConnectionOptions);
    socket.on("session", (session: Buffer) => {
      this.#session = session;
    });
    return socket;
  }

  #tlsOptions(): ConnectionOptions {
    const { ca, serverName, skipTlsVerify, certificate } = this.#target;
    const address = this.#address();
    const name = serverName ?? (isIP(address.host) === 0 ? address.host : undefined);
    return {
      ...address,
      secureContext: createSecureContext({ ...(ca ? { ca } : {}), ...certificate }),
      ...(name ? { servername: name } : {}),
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: skipTlsVerify !== true,
    };
  }

  #address(): TcpNetConnectOpts & { readonly host: string } {
    const { hostname, port, protocol } = this.#target.url;
    return {
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || (protocol === "https:" ? 443 : 80)),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    };
  }
}
