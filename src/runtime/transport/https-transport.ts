/**
 * The transport of production: HTTP/1.1 over TLS with connections that are kept. It is a client of
 * its own, because Node's takes as long for a request as everything else together (see
 * docs/design/0006). Each pool of connections has one set of certificates; when they are renewed a
 * new pool takes over, and the connections of the old one end with their requests.
 */
import { abortReason, systemClock, type Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { ConnectionPool } from "./connection-pool.ts";
import type { Credentials } from "./credentials/credentials.ts";
import { escapeHeaderName, headerLine, isHeaderName } from "../header.ts";
import type { Exchange, HttpConnection } from "./http-connection.ts";
import { proxyUrl } from "./proxy.ts";
import { proxyAuthorization } from "./proxy-tunnel.ts";
import { serverUrl } from "./server-address.ts";
import {
  ConnectionError,
  type ConnectionFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type UpgradeAnswer,
} from "./transport.ts";
import { dialUpgrade } from "./upgraded-connection.ts";
import { tableOf } from "../../table.ts";

const FAILURES = tableOf<ConnectionFailure>({
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  EPIPE: "reset",
  ECONNABORTED: "reset",
  ETIMEDOUT: "timeout",
  EHOSTUNREACH: "timeout",
  ENETUNREACH: "timeout",
  ENOTFOUND: "unknown-host",
  EAI_AGAIN: "unknown-host",
});

const REQUEST_TARGET = /^[\u0021-\u007e]+$/;
// API servers answer everything but watches within 60 s, or with a 504.
const ANSWER_TIMEOUT_MS = 70_000;
// For these methods a server expects a body, also an empty one with its length.
const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

/**
 * Sends requests over kept connections to one API server.
 *
 * @example
 * const transport = new HttpsTransport(config, "test/1");
 */
export class HttpsTransport implements Transport {
  readonly server: string;
  readonly #config: ClusterConfig;
  readonly #url: URL;
  readonly #base: string;
  readonly #proxy: URL | undefined;
  // For a proxy that reads the requests; a tunnel gets the login when it is opened.
  readonly #proxyLogin: Readonly<Record<string, string>>;
  readonly #answerTimeoutMs: number;
  readonly #userAgent: string;
  readonly #clock: Clock;
  #pool: { readonly pool: ConnectionPool; readonly identity: string } | undefined;

  /** @throws TsopError `server-address`, `proxy-unusable` */
  constructor(config: ClusterConfig, userAgent: string, clock: Clock = systemClock) {
    this.server = config.server.includes("://") ? config.server : `https://${config.server}`;
    this.#config = config;
    this.#url = serverUrl(config.server);
    this.#proxy = config.proxy === undefined ? undefined : proxyUrl(config.proxy);
    this.#answerTimeoutMs = config.answerTimeoutMs ?? ANSWER_TIMEOUT_MS;
    // A proxy that gets requests in clear text needs their target.
    const asked =
      this.#url.protocol === "http:" && this.#proxy?.protocol.startsWith("http")
        ? this.#proxy
        : undefined;
    const path = this.#url.pathname.replace(/\/+$/, "");
    this.#base = asked ? this.#url.origin + path : path;
    const login = asked && proxyAuthorization(asked);
    this.#proxyLogin = login === undefined ? {} : { "Proxy-Authorization": login };
    this.#userAgent = userAgent;
    this.#clock = clock;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    const credentials = await this.#config.credentials.get(request.signal);
    request.signal?.throwIfAborted();
    const response = await this.#exchange(request, credentials);
    if (response.status === 401) this.#config.credentials.invalidate();
    return response;
  }

  async upgrade(request: TransportRequest): Promise<UpgradeAnswer> {
    const { signal, lastCheck } = request;
    signal?.throwIfAborted();
    const credentials = await this.#config.credentials.get(signal);
    signal?.throwIfAborted();
    const text = this.#encode(request, credentials);
    // The error of the last check is not a failure of the connection.
    const refusal: { error?: unknown } = {};
    const encode = (): string => {
      try {
        lastCheck?.();
      } catch (error) {
        refusal.error = error;
        throw error;
      }
      return text;
    };
    try {
      const { dial } = this.#poolFor(credentials);
      const answer = await dialUpgrade(dial, { encode, signal });
      if ("status" in answer && answer.status === 401) this.#config.credentials.invalidate();
      return answer;
    } catch (error) {
      if (signal?.aborted) throw abortReason(signal);
      throw refusal.error === undefined ? this.#failed(error, false) : error;
    }
  }

  close(): void {
    this.#pool?.pool.close();
    this.#pool = undefined;
  }

  #exchange(request: TransportRequest, credentials: Credentials): Promise<TransportResponse> {
    const { method, signal, lastCheck } = request;
    const text = this.#encode(request, credentials);
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        connection.abort(exchange, abortReason(signal));
      };
      // The error of the last check is not a failure of the connection.
      let refused = false;
      const exchange: Exchange = {
        method,
        silence: {
          beforeAnswerMs: this.#answerTimeoutMs,
          withinAnswerMs: request.mayPause ? 0 : this.#answerTimeoutMs,
        },
        encode() {
          refused = true;
          lastCheck?.();
          refused = false;
          return text;
        },
        answered: resolve,
        failed: (error, reused) => {
          if (signal?.aborted) reject(abortReason(signal));
          else reject(refused ? error : this.#failed(error, reused));
        },
        brokenOff: (error) => (signal?.aborted ? abortReason(signal) : this.#failed(error, false)),
        over() {
          signal?.removeEventListener("abort", abort);
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      let connection: HttpConnection;
      try {
        connection = this.#poolFor(credentials).send(exchange);
      } catch (error) {
        // For a certificate or key that cannot be read.
        signal?.removeEventListener("abort", abort);
        reject(this.#failed(error, false));
      }
    });
  }

  #encode({ method, path, headers, body }: TransportRequest, credentials: Credentials): string {
    const target = this.#base + path;
    if (!REQUEST_TARGET.test(target) || !isHeaderName(method)) {
      throw new TypeError(
        `${method} ${target} is not a valid requestbecause it contains unescaped characters.`,
      );
    }
    let text = `${method} ${target} HTTP/1.1\r\nHost: ${this.#url.host}\r\n`;
    const all = { ...this.#identity(credentials), ...headers };
    for (const name in all) text += headerLine(name, all[name] ?? "");
    const { groups = [], extra = {} } = this.#config.impersonate ?? {};
    for (const group of groups) text += headerLine("Impersonate-Group", group);
    for (const [key, values] of Object.entries(extra)) {
      const name = `Impersonate-Extra-${escapeHeaderName(key)}`;
      for (const value of values) text += headerLine(name, value);
    }
    if (body !== undefined) text += `Content-Length: ${Buffer.byteLength(body)}\r\n`;
    else if (WITH_BODY.has(method)) text += "Content-Length: 0\r\n";
    return `${text}\r\n${body ?? ""}`;
  }

  /** The headers that identify the user. */
  #identity({ token, basic }: Credentials): Record<string, string> {
    const { impersonate } = this.#config;
    const login = basic && Buffer.from(`${basic.username}:${basic.password}`).toString("base64");
    return {
      "User-Agent": this.#userAgent,
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(login ? { Authorization: `Basic ${login}` } : {}),
      ...(impersonate ? { "Impersonate-User": impersonate.user } : {}),
      ...(impersonate?.uid ? { "Impersonate-Uid": impersonate.uid } : {}),
      ...this.#proxyLogin,
    };
  }

  #poolFor({ certificate }: Credentials): ConnectionPool {
    const identity = certificate ? `${certificate.cert}\n${certificate.key}` : "";
    if (this.#pool?.identity === identity) return this.#pool.pool;
    this.close();
    const { ca, serverName, skipTlsVerify } = this.#config;
    const target = {
      url: this.#url,
      ca,
      serverName,
      skipTlsVerify,
      certificate,
      proxy: this.#proxy,
    };
    const pool = new ConnectionPool(this.#clock, target);
    this.#pool = { pool, identity };
    return pool;
  }

  #failed(error: unknown, reusedConnection: boolean): ConnectionError {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    const failure = FAILURES.get(code) ?? (isTlsCode(code) ? "tls" : "other");
    return new ConnectionError(failure, this.server, messageOf(error) || code, {
      cause: error,
      reusedConnection,
    });
  }
}

function isTlsCode(code: string): boolean {
  return /^(UNSPECIFIED$|ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|CRL_|INVALID_|PATH_LENGTH_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_)|EPROTO/.test(
    code,
  );
}
