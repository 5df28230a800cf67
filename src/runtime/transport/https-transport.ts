/**
 * The transport of production: HTTP/1.1 over TLS with connections that are kept. It is a client of
 * its own, because Node's takes as long for a request as everything else together (see
 * docs/design/0006). Each route has one address and one set of certificates; when they are renewed,
 * another route takes over, and the connections of the old one end with their requests.
 */
import { abortReason, systemClock, type Clock } from "../../clock.ts";
import { escapeHeaderName, headerLine, isHeaderName } from "../header.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { connectionErrorOf } from "./connection-failures.ts";
import type { Credentials } from "./credentials/credentials.ts";
import type { Exchange, HttpConnection } from "./http-connection.ts";
import type { Route } from "./route.ts";
import { Routes, type Way } from "./routes.ts";
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type UpgradeAnswer,
} from "./transport.ts";
import type { TrustObserver } from "./trust-observer.ts";
import { dialUpgrade } from "./upgraded-connection.ts";

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
  readonly #routes: Routes;
  readonly #answerTimeoutMs: number;
  readonly #userAgent: string;
  readonly #clock: Clock;

  /** @throws TsopError `server-address`, `proxy-unusable` */
  constructor(config: ClusterConfig, userAgent: string, clock: Clock = systemClock) {
    this.#routes = new Routes(config, clock);
    this.#answerTimeoutMs = config.answerTimeoutMs ?? ANSWER_TIMEOUT_MS;
    this.#userAgent = userAgent;
    this.#clock = clock;
  }

  get server(): string {
    return this.#routes.server;
  }

  observeTrust(observer: TrustObserver): void {
    this.#routes.observe(observer);
  }

  request(request: TransportRequest): Promise<TransportResponse> {
    return this.#onWay(request, (way, progress) => this.#exchange(request, way, progress));
  }

  upgrade(request: TransportRequest): Promise<UpgradeAnswer> {
    return this.#onWay(request, (way, progress) => this.#upgrade(request, way, progress));
  }

  close(): void {
    this.#routes.close();
  }

  /**
   * Performs an exchange. If no connection can be made, the files of the configuration are read
   * again; a way that is new then is tried before the request fails.
   */
  async #onWay<T extends object>(
    { signal }: TransportRequest,
    perform: (way: Way, progress: Progress) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    let way = await this.#routes.find(signal);
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const progress: Progress = { isSent: false };
      try {
        const answer = await perform(way, progress);
        if ("status" in answer && answer.status === 401) {
          this.#routes.invalidate(way, "credentials");
        }
        return answer;
      } catch (error) {
        if (progress.isSent || !(error instanceof ConnectionError)) throw error;
        this.#routes.invalidate(way, "connection");
        // A failure of the second look would hide the reason.
        const next = attempt === 1 ? await this.#routes.find(signal).catch(() => way) : way;
        if (next.route.pool === way.route.pool) throw error;
        way = next;
      }
    }
  }

  async #upgrade(request: TransportRequest, way: Way, progress: Progress): Promise<UpgradeAnswer> {
    const { signal, lastCheck } = request;
    const text = this.#encode(request, way);
    // The error of the last check is not a failure of the connection.
    const refusal: { error?: unknown } = {};
    const encode = (): string => {
      progress.isSent = true;
      try {
        lastCheck?.();
      } catch (error) {
        refusal.error = error;
        throw error;
      }
      return text;
    };
    try {
      return await dialUpgrade(way.route.pool.dial, {
        encode,
        signal,
        clock: this.#clock,
        answerTimeoutMs: this.#answerTimeoutMs,
      });
    } catch (error) {
      if (signal?.aborted) throw abortReason(signal);
      throw refusal.error === undefined ? connectionErrorOf(error, way.route) : error;
    }
  }

  #exchange(request: TransportRequest, way: Way, progress: Progress): Promise<TransportResponse> {
    const { method, signal, lastCheck } = request;
    const { route } = way;
    const text = this.#encode(request, way);
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
          progress.isSent = true;
          refused = true;
          lastCheck?.();
          refused = false;
          return text;
        },
        answered: resolve,
        failed: (error, reused) => {
          if (signal?.aborted) reject(abortReason(signal));
          else reject(refused ? error : connectionErrorOf(error, route, { reused }));
        },
        brokenOff: (error) =>
          signal?.aborted
            ? abortReason(signal)
            : connectionErrorOf(error, route, { answered: true }),
        over() {
          signal?.removeEventListener("abort", abort);
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      let connection: HttpConnection;
      try {
        connection = route.pool.send(exchange);
      } catch (error) {
        // For a certificate or key that cannot be read.
        signal?.removeEventListener("abort", abort);
        reject(connectionErrorOf(error, route));
      }
    });
  }

  #encode({ method, path, headers, body }: TransportRequest, { route, credentials }: Way): string {
    const { url, base, config } = route;
    const target = base + path;
    if (!REQUEST_TARGET.test(target) || !isHeaderName(method)) {
      throw new TypeError(
        `${method} ${target} is not a valid request because it contains unescaped characters.`,
      );
    }
    let text = `${method} ${target} HTTP/1.1\r\nHost: ${url.host}\r\n`;
    const all = { ...this.#identity(route, credentials), ...headers };
    for (const name in all) text += headerLine(name, all[name] ?? "");
    const { groups = [], extra = {} } = config.impersonate ?? {};
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
  #identity({ config, proxyLogin }: Route, { token, basic }: Credentials): Record<string, string> {
    const { impersonate } = config;
    const login = basic && Buffer.from(`${basic.username}:${basic.password}`).toString("base64");
    return {
      "User-Agent": this.#userAgent,
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(login ? { Authorization: `Basic ${login}` } : {}),
      ...(impersonate ? { "Impersonate-User": impersonate.user } : {}),
      ...(impersonate?.uid ? { "Impersonate-Uid": impersonate.uid } : {}),
      ...proxyLogin,
    };
  }
}

/** The steps of a request. */
interface Progress {
  /** Whether the server may have seen it. */
  isSent: boolean;
}
