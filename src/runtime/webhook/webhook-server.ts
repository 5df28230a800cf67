/**
 * The HTTPS server behind the webhooks: what comes in, within limits, and answers in time.
 *
 * It speaks HTTP/1.1 only, and so does an API server with webhooks: over HTTP/2 it would send all requests to one replica
 * (kubernetes/kubernetes#75791).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../../clock.ts";
import type { ServerCertificate } from "../serving/certificate-files.ts";
import type { ClientAuthorities } from "../serving/client-certificates.ts";
import {
  type Endpoint,
  listen,
  SecuredServer,
  STRANGER_LIMITS,
  tlsOptions,
} from "../serving/listening.ts";
import type { Refusals } from "../serving/refusals.ts";
import type { RequestMemory } from "../serving/request-memory.ts";
import { SharedConnections } from "../serving/shared-connections.ts";
import { SilentConnections } from "../serving/silent-connections.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { AnswerTexts } from "./direct/answer-text.ts";
import { DirectConnections } from "./direct/direct-connections.ts";
import { Exchanges } from "./requests/exchange.ts";
import { failureReply, type Reply, ReviewFailure, UNREAD } from "./requests/replies.ts";
import { OpenRequests } from "./requests/open-requests.ts";
import { receiveBody } from "./requests/request-body.ts";
import { tellRefusal, untrusted } from "./requests/request-limits.ts";
import { servedAt, type ServedPath } from "./requests/served-path.ts";

/** The share of the connections on which no request may have come yet. */
const SILENT_SHARE = 0.25;
// The API server closes an idle connection after 90 s. Were we the first, a request could be on its way.
const KEEP_ALIVE_MS = 95_000;
const HANDSHAKE_MS = 10_000;
// Longer than any wait between two requests, and than the API server waits for any answer.
const STALLED_MS = 120_000;
// Half of the time that kube-proxies need to send new connections elsewhere, where they are not overloaded.
const DRAIN_WINDOW_MS = 2500;
const MIN_DRAIN_WINDOWS = 2;

/** The limits of a server, and where it tells what it refuses. */
export interface ServerBounds {
  readonly memory: RequestMemory;
  readonly maxConnections: number;
  readonly refusals: Refusals;
}

/** The authorities that sign the certificates of API servers. */
interface ServerClients {
  readonly authorities: ClientAuthorities;
  readonly ca: Buffer;
}

/** The settings. */
interface ServerOptions extends ServerBounds {
  /** How long a connection stays on which nothing moves. */
  readonly stalledMs?: number;
  /** The limits for unknown clients that differ from the usual ones. */
  readonly limits?: Partial<typeof STRANGER_LIMITS>;
  /** Makes a span of each review; none when absent. */
  readonly tracing?: Tracing | undefined;
  /** All clients are answered when absent. */
  readonly clients?: ServerClients | undefined;
}

export class WebhookServer {
  readonly #clock: Clock;
  readonly #paths: ReadonlyMap<string, ServedPath>;
  readonly #exchanges: Exchanges;
  readonly #server: Server;
  readonly #direct: DirectConnections;
  readonly #shared: SharedConnections;
  readonly #silent: SilentConnections;
  readonly #memory: RequestMemory;
  readonly #open: OpenRequests;
  readonly #refusals: Refusals;
  readonly #clients: ClientAuthorities | undefined;
  readonly #secured: SecuredServer;
  #isStopping = false;

  constructor(
    clock: Clock,
    paths: ReadonlyMap<string, ServedPath>,
    certificate: ServerCertificate,
    options: ServerOptions,
  ) {
    const { stalledMs = STALLED_MS, tracing, limits, memory, maxConnections, refusals } = options;
    this.#clock = clock;
    this.#clients = options.clients?.authorities;
    const clientCa = options.clients?.ca;
    this.#refusals = refusals;
    this.#memory = memory;
    this.#open = new OpenRequests(memory, refusals);
    this.#shared = new SharedConnections(maxConnections);
    this.#silent = new SilentConnections(Math.ceil(maxConnections * SILENT_SHARE));
    this.#exchanges = new Exchanges({ clock, tracing, memory, refusals });
    this.#paths = paths;
    this.#server = createServer({
      // Each request is answered with why it is refused, and those for conversions are not.
      ...tlsOptions(certificate, clientCa, false),
      ...STRANGER_LIMITS,
      ...limits,
      keepAliveTimeout: KEEP_ALIVE_MS,
      handshakeTimeout: HANDSHAKE_MS,
    });
    this.#secured = new SecuredServer(this.#server, certificate, clientCa);
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
      memory: this.#memory,
      answers: new AnswerTexts(this.#clock, KEEP_ALIVE_MS),
      idleMs: Math.min(stalledMs, KEEP_ALIVE_MS),
      isStopping: () => this.#isStopping,
      isTrusted: (socket) => this.#clients?.problemOf(socket) === undefined,
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
    this.#secured.renew(certificate);
  }

  /** Clients of new connections need a certificate of these authorities. */
  renewClientCa(ca: Buffer): void {
    this.#secured.renewClientCa(ca);
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
    this.#silent.end();
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
    if (!this.#open.began(request.socket, response)) return;
    const { url = "/", method, headers } = request;
    const at = url.indexOf("?");
    const pathname = at < 0 ? url : url.slice(0, at);
    const path = servedAt(this.#paths, pathname);
    if (!path) {
      request.resume();
      const failure = new ReviewFailure(404, "no webhook is served at this path");
      this.#send(request, response, failureReply(UNREAD, failure));
      return;
    }
    const problem = path.isForAll
      ? undefined
      : this.#clients?.problemOf(request.socket as TLSSocket);
    if (problem !== undefined) {
      request.resume();
      tellRefusal(this.#refusals, `A request to ${path.name} was refused`, untrusted(problem));
      this.#send(request, response, failureReply(UNREAD, untrusted(problem)));
      return;
    }
    const query = at < 0 ? "" : url.slice(at + 1);
    const exchange = this.#exchanges.begin(path, { pathname, query, method, headers });
    const send = (reply: Reply): void => {
      const { socket } = request;
      const sent = exchange.sending(reply, () => socket.destroy());
      this.#send(request, response, reply);
      if (sent) whenSent(socket, response, sent);
    };
    receiveBody(request, { maxBytes: path.maxBytes, memory: this.#memory }, (body) => {
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

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { status, body, retryAfterSeconds }: Reply,
  ): void {
    // After a request that broke a rule nothing more is read from this connection.
    if (this.#isStopping || !request.complete) response.setHeader("Connection", "close");
    if (retryAfterSeconds !== undefined) response.setHeader("Retry-After", retryAfterSeconds);
    response
      .writeHead(status, {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
      })
      .end(body);
  }
}

/** Calls `sent` once, when an answer is sent, or its connection is gone: an answer behind others is not told of that. */
function whenSent(socket: Socket, response: ServerResponse, sent: () => void): void {
  let isCalled = false;
  const once = (): void => {
    if (isCalled) return;
    isCalled = true;
    socket.off("close", once);
    sent();
  };
  if (socket.destroyed) {
    once();
    return;
  }
  response.once("finish", once);
  socket.once("close", once);
}
