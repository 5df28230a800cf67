/**
 * The HTTPS server behind the webhooks: what comes in, within limits, and answers in time.
 *
 * It speaks HTTP/1.1 only, and so does an API server with webhooks: over HTTP/2 it would send all requests to one replica
 * (kubernetes/kubernetes#75791).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { Socket } from "node:net";
import type { Clock } from "../../clock.ts";
import type { ServerCertificate } from "../serving/certificate-files.ts";
import { type Endpoint, listen, STRANGER_LIMITS, tlsOptions } from "../serving/listening.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { AnswerTexts } from "./direct/answer-text.ts";
import { DirectConnections } from "./direct/direct-connections.ts";
import { Exchanges } from "./requests/exchange.ts";
import { failureReply, type Reply, ReviewFailure, UNREAD } from "./requests/replies.ts";
import { BodyBudget, receiveBody } from "./requests/request-body.ts";
import type { ServedPath } from "./requests/served-path.ts";
import { SharedConnections } from "./shared-connections.ts";
import { SilentConnections } from "./silent-connections.ts";

const MAX_CONNECTIONS = 2000;
const MAX_SILENT_CONNECTIONS = 500;
const MAX_BODIES_BYTES = 256 * 1024 * 1024;
// The API server closes an idle connection after 90 s. Were we the first, a request could be on its way.
const KEEP_ALIVE_MS = 95_000;
const HANDSHAKE_MS = 10_000;
// Longer than any wait between two requests, and than the API server waits for any answer.
const STALLED_MS = 120_000;
// Half of the time that kube-proxies need to send new connections elsewhere, where they are not overloaded.
const DRAIN_WINDOW_MS = 2500;
const MIN_DRAIN_WINDOWS = 2;

/** The optional settings. */
interface ServerOptions {
  /** How long a connection stays on which nothing moves. */
  readonly stalledMs?: number;
  /** The limits for unknown clients that differ from the usual ones. */
  readonly limits?: Partial<typeof STRANGER_LIMITS>;
  /** Makes a span of each review; none when absent. */
  readonly tracing?: Tracing | undefined;
}

export class WebhookServer {
  readonly #clock: Clock;
  readonly #paths: ReadonlyMap<string, ServedPath>;
  readonly #exchanges: Exchanges;
  readonly #server: Server;
  readonly #direct: DirectConnections;
  readonly #shared = new SharedConnections(MAX_CONNECTIONS);
  readonly #silent = new SilentConnections(MAX_SILENT_CONNECTIONS);
  readonly #budget = new BodyBudget(MAX_BODIES_BYTES);
  #isStopping = false;

  constructor(
    clock: Clock,
    paths: ReadonlyMap<string, ServedPath>,
    certificate: ServerCertificate,
    { stalledMs = STALLED_MS, tracing, limits }: ServerOptions = {},
  ) {
    this.#clock = clock;
    this.#exchanges = new Exchanges(clock, tracing);
    this.#paths = paths;
    this.#server = createServer({
      ...tlsOptions(certificate),
      ...STRANGER_LIMITS,
      ...limits,
      keepAliveTimeout: KEEP_ALIVE_MS,
      handshakeTimeout: HANDSHAKE_MS,
    });
    // Who does not take the answer would have it kept here for ever.
    this.#server.timeout = stalledMs;
    this.#server.on("connection", (socket) => {
      if (!(socket instanceof Socket)) return;
      this.#shared.opened(socket);
      this.#silent.opened(socket);
    });
    this.#server.on("request", (request, response) => {
      this.#exchange(request, response);
    });
    this.#direct = this.#readDirectly(stalledMs);
  }

  /** Puts what reads the usual requests in front of `node:http`, which reads all others. */
  #readDirectly(stalledMs: number): DirectConnections {
    const toNode = this.#server.listeners("secureConnection");
    const direct = new DirectConnections(this.#clock, {
      paths: this.#paths,
      exchanges: this.#exchanges,
      budget: this.#budget,
      answers: new AnswerTexts(this.#clock, KEEP_ALIVE_MS),
      idleMs: Math.min(stalledMs, KEEP_ALIVE_MS),
      isStopping: () => this.#isStopping,
      spoke: (socket) => {
        this.#silent.spoke(socket);
      },
      handOver: (socket) => {
        for (const listener of toNode) Reflect.apply(listener, this.#server, [socket]);
      },
    });
    this.#server.removeAllListeners("secureConnection");
    this.#server.on("secureConnection", (socket) => {
      direct.opened(socket);
    });
    return direct;
  }

  /** Whether it can be asked. */
  get isListening(): boolean {
    return this.#server.listening;
  }

  /** Opens it; its port. @throws TsopError `port-in-use`, `cannot-listen` */
  listen(endpoint: Endpoint): Promise<number> {
    return listen(this.#server, endpoint);
  }

  /** New connections get this certificate; those that are open stay. */
  renew(certificate: ServerCertificate): void {
    this.#server.setSecureContext(tlsOptions(certificate));
  }

  /**
   * Answers on until no request came in for a while. Each answer closes its connection, so that the API server opens
   * the next one to a process that stays.
   *
   * @param mostMs - the longest time for it
   * @param signal - ends it at once
   * @returns whether requests still came in at its end
   */
  async drain(mostMs: number, signal: AbortSignal): Promise<boolean> {
    this.#isStopping = true;
    const endsAtMs = this.#clock.monotonicMs() + mostMs;
    for (let windows = 1; ; windows++) {
      const { begun } = this.#exchanges;
      const leftMs = endsAtMs - this.#clock.monotonicMs();
      await this.#clock.sleep(Math.min(DRAIN_WINDOW_MS, leftMs), signal).catch(() => undefined);
      if (signal.aborted) return false;
      const isQuiet = this.#exchanges.begun === begun;
      if (isQuiet && windows >= MIN_DRAIN_WINDOWS) return false;
      if (this.#clock.monotonicMs() >= endsAtMs) return !isQuiet;
    }
  }

  /** Resolves when all that was asked is answered, `withinMs` from now at the latest. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true;
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    this.#server.closeIdleConnections();
    this.#direct.endIdle();
    const timer = this.#clock.after(withinMs, () => {
      this.close();
    });
    await closed;
    timer.cancel();
  }

  /** Ends it at once. */
  close(): void {
    this.#isStopping = true;
    this.#exchanges.giveUp(new ReviewFailure(503, "the operator is ending"));
    this.#server.close();
    this.#server.closeAllConnections();
    this.#direct.destroy();
  }

  #exchange(request: IncomingMessage, response: ServerResponse): void {
    this.#silent.spoke(request.socket);
    const { url = "/", method, headers } = request;
    const at = url.indexOf("?");
    const pathname = at < 0 ? url : url.slice(0, at);
    const path = this.#paths.get(pathname);
    if (!path) {
      request.resume();
      const failure = new ReviewFailure(404, "no webhook is served at this path");
      this.#send(request, response, failureReply(UNREAD, failure));
      return;
    }
    const query = at < 0 ? "" : url.slice(at + 1);
    const exchange = this.#exchanges.begin(path, { pathname, query, method, headers });
    const send = (reply: Reply): void => {
      this.#send(request, response, reply);
      exchange.answered(reply.status);
    };
    receiveBody(request, { maxBytes: path.maxBytes, budget: this.#budget }, (body) => {
      const reply = exchange.reply(body);
      if (!(reply instanceof Promise)) {
        send(reply);
        return;
      }
      response.on("close", () => {
        if (!response.writableFinished) exchange.giveUp();
      });
      void reply.then(send);
    });
  }

  #send(request: IncomingMessage, response: ServerResponse, { status, body }: Reply): void {
    // After a request that broke a rule nothing more is read from this connection.
    if (this.#isStopping || !request.complete) response.setHeader("Connection", "close");
    response
      .writeHead(status, {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
      })
      .end(body);
  }
}
