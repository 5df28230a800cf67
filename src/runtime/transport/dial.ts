/**
 * Opens the sockets of connections: directly or through a proxy, in clear text or over TLS, with a
 * time limit for each step.
 */
import {
  connect as connectTcp,
  isIP,
  type OnReadOpts,
  type Socket,
  type TcpNetConnectOpts,
} from "node:net";
import { connect as connectTls, createSecureContext, type ConnectionOptions } from "node:tls";
import type { Clock, Timer } from "../../clock.ts";
import { hungUp, timedOut, type Dial, type DialHooks, type Dialing } from "./http-connection.ts";
import { hostOf, portOf } from "./proxy.ts";
import { openTunnel } from "./proxy-tunnel.ts";

// The limits of client-go's dialer and transport.
const CONNECT_MS = 30_000;
const HANDSHAKE_MS = 10_000;
// The kernel probes a silent peer at this interval, as with client-go's dialer.
const TCP_KEEP_ALIVE_MS = 30_000;

/** The target of connections, and the user. Certificates and keys are PEM. */
export interface ConnectionTarget {
  readonly url: URL;
  readonly ca?: string | undefined;
  /** The name that the server's certificate must have, when it is not the host. */
  readonly serverName?: string | undefined;
  readonly skipTlsVerify?: boolean | undefined;
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  readonly proxy?: URL | undefined;
}

/** The end of a configuration, for the connections that were made with it. */
export interface Retirement {
  /** Whether the connection may stay until its exchange is over. */
  readonly accepts: (socket: Socket) => boolean;
  /** The message for the users of the others. */
  readonly why: string;
}

export class Dialer {
  readonly #clock: Clock;
  readonly #target: ConnectionTarget;
  #tls: ConnectionOptions | undefined;
  // The TLS session, which saves the next connection half of the handshake.
  #session: Buffer | undefined;
  readonly #open = new Set<Socket>();
  #retired: Retirement | undefined;

  constructor(clock: Clock, target: ConnectionTarget) {
    this.#clock = clock;
    this.#target = target;
  }

  /** The number of open sockets. */
  get openSockets(): number {
    return this.#open.size;
  }

  /** Closes the sockets that are not acceptable any more, also those that are still being opened. */
  retire(retirement: Retirement): void {
    this.#retired = retirement;
    for (const socket of this.#open) this.#closeIfRetired(socket);
  }

  #closeIfRetired(socket: Socket): void {
    if (!this.#retired || this.#retired.accepts(socket)) return;
    socket.destroy(Object.assign(new Error(this.#retired.why), { code: "ECONNRESET" }));
  }

  /** Opens a socket, and calls back when requests can be sent. */
  readonly dial: Dial = (hooks) => {
    const opened = (socket: Socket): void => {
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket));
      hooks.opened(socket);
      this.#closeIfRetired(socket);
    };
    const attempt = new Attempt(this.#clock, { ...hooks, opened });
    const { url, proxy } = this.#target;
    const secure = url.protocol === "https:";
    // A clear text request names its target to an HTTP proxy, which sends it on.
    const first = proxy && !secure && proxy.protocol.startsWith("http") ? proxy : url;
    if (proxy && first === url) this.#dialTunnel(proxy, attempt);
    else if (first.protocol === "https:") this.#dialTls(first, attempt);
    else {
      const socket = connectTcp({ ...addressOf(first), onread: hooks.onread });
      attempt.follow(socket, "connect");
      attempt.limit("no connection", CONNECT_MS);
    }
    return attempt;
  };

  #dialTls(url: URL, attempt: Attempt): void {
    const socket = this.#connectTls({ ...addressOf(url), onread: attempt.onread });
    attempt.follow(socket, "secureConnect");
    attempt.limit("no connection", CONNECT_MS);
    socket.once("connect", () => {
      attempt.limit("the TLS handshake did not end", HANDSHAKE_MS);
    });
  }

  #dialTunnel(proxy: URL, attempt: Attempt): void {
    const { url } = this.#target;
    const socket = openTunnel(
      proxy,
      { host: hostOf(url), port: portOf(url) },
      {
        opened: (tunnel) => {
          if (url.protocol === "https:") {
            const inner = this.#connectTls({ socket: tunnel });
            deliver(inner, attempt.onread);
            attempt.follow(inner, "secureConnect");
            attempt.limit("the TLS handshake did not end", HANDSHAKE_MS);
          } else {
            deliver(tunnel, attempt.onread);
            attempt.opened(tunnel);
          }
        },
        failed: (error) => {
          attempt.failed(error);
        },
      },
    );
    attempt.hold(socket);
    attempt.limit("no connection through the proxy", CONNECT_MS);
  }

  #connectTls(where: ConnectionOptions & { readonly onread?: OnReadOpts }): Socket {
    // Made once: reading the authorities' certificates takes longer than a handshake.
    this.#tls ??= this.#tlsOptions();
    const socket = connectTls({
      ...this.#tls,
      ...where,
      ...(this.#session ? { session: this.#session } : {}),
    });
    socket.on("session", (session: Buffer) => {
      this.#session = session;
    });
    return socket;
  }

  #tlsOptions(): ConnectionOptions {
    const { url, ca, serverName, skipTlsVerify, certificate } = this.#target;
    const host = hostOf(url);
    const name = serverName ?? (isIP(host) === 0 ? host : undefined);
    return {
      host,
      // A trusted certificate need not be an authority or the end of a chain, as in Go.
      secureContext: createSecureContext({
        ...(ca ? { ca, allowPartialTrustChain: true } : {}),
        ...certificate,
      }),
      ...(name ? { servername: name } : {}),
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: skipTlsVerify !== true,
    };
  }
}

function addressOf(url: URL): TcpNetConnectOpts {
  return {
    host: hostOf(url),
    port: portOf(url),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
  };
}

/** Passes on the bytes of a socket that was not opened with `onread`. */
function deliver(socket: Socket, onread: OnReadOpts): void {
  const { buffer } = onread;
  const memory = typeof buffer === "function" ? buffer() : buffer;
  socket.on("data", (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += memory.length) {
      const part = bytes.subarray(at, at + memory.length);
      memory.set(part);
      onread.callback(part.length, memory);
    }
  });
}

class Attempt implements Dialing {
  readonly onread: OnReadOpts;
  readonly #clock: Clock;
  readonly #hooks: DialHooks;
  #socket: Socket | undefined;
  #timer: Timer | undefined;
  #over = false;

  constructor(clock: Clock, hooks: DialHooks) {
    this.#clock = clock;
    this.#hooks = hooks;
    this.onread = hooks.onread;
  }

  /** Holds the socket to close when the attempt is given up. */
  hold(socket: Socket): void {
    this.#socket = socket;
    if (this.#over) socket.destroy();
  }

  /** Succeeds with that event of the socket, or fails with its error. */
  follow(socket: Socket, event: "connect" | "secureConnect"): void {
    this.hold(socket);
    socket.once(event, () => {
      this.opened(socket);
    });
    socket.once("error", (error) => {
      this.failed(error);
    });
    socket.once("close", () => {
      this.failed(hungUp());
    });
  }

  /** Limits the time of the next step. */
  limit(what: string, limitMs: number): void {
    this.#timer?.cancel();
    if (this.#over) return;
    this.#timer = this.#clock.after(limitMs, () => {
      this.failed(timedOut(what, limitMs));
      this.#socket?.destroy();
    });
  }

  opened(socket: Socket): void {
    this.hold(socket);
    if (this.#end()) this.#hooks.opened(socket);
  }

  failed(error: Error): void {
    if (this.#end()) this.#hooks.failed(error);
  }

  close(): void {
    this.#end();
    this.#socket?.destroy();
  }

  #end(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#timer?.cancel();
    return true;
  }
}
