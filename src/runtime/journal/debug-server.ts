/**
 * Serves the journal of an operator, as JSON and as server-sent events, and its log level, which a
 * PUT changes.
 */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { manyListeners, type Clock, type Timer } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { announce } from "../../logging/safe-logger.ts";
import type { QueueState } from "../controller/activity.ts";
import { isLoopbackHost } from "../loopback.ts";
import type { JournalEntry } from "./entry.ts";
import type { Journal } from "./journal.ts";
import type { UsedRight, UsedRights } from "./used-rights.ts";
import { present } from "../../present.ts";
import { httpTls } from "../serving/http-tls.ts";
import { DEBUG_SERVED, type DebugEndpoint } from "./debug-endpoint.ts";
import { serveHttp, type RunningServer } from "../serving/http-serving.ts";
import type { ReviewFilter } from "../serving/review-filter.ts";

const JOURNAL = "/debug/journal";
const EVENTS = "/debug/journal/events";
const LOG_LEVEL = "/debug/log-level";
const MOST_LEVEL_BYTES = 4096;
const LOOPBACK = "127.0.0.1";
// Proxies close connections that are idle for a minute.
const SIGN_OF_LIFE_MS = 15_000;
/** How many waiting keys of a controller are listed. */
const MOST_WAITING = 200;
/** A reader that takes nothing for so long is disconnected; it knows which entry was the last. */
const STALLED_MS = 30_000;

/** The answer to `GET /debug/journal`. */
export interface JournalAnswer {
  /** The version of this format. */
  readonly version: 1;
  readonly operator: string;
  /** A different value for each start of the operator, which numbers its entries anew. */
  readonly instance: string;
  readonly nowMs: number;
  /** The entries, the oldest first. */
  readonly entries: readonly JournalEntry[];
  readonly queues: readonly QueueState[];
  /** The rights that its requests used since its start. */
  readonly usedRights: readonly UsedRight[];
}

export interface DebugParts {
  readonly endpoint: DebugEndpoint;
  readonly journal: Journal;
  readonly operator: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly filter: ReviewFilter;
  readonly queues: () => readonly QueueState[];
  readonly usedRights: UsedRights;
  readonly logLevel: {
    readonly get: () => string;
    /** Returns what to know about the new levels. @throws TsopError `bad-log-level` */
    readonly set: (levels: string) => string;
  };
}

/** The whole answer to a request that is refused: strangers learn no more. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: "Bad Request\n",
  401: "Unauthorized\n",
  403: "Forbidden\n",
  404: "404 page not found\n",
  405: "Method Not Allowed\n",
  429: "Too Many Requests\n",
};

export class DebugServer {
  readonly #parts: DebugParts;
  readonly #ended = manyListeners(new AbortController());
  readonly #instance: string;
  #server: RunningServer | undefined;

  constructor(parts: DebugParts) {
    this.#parts = parts;
    this.#instance = `${parts.clock.now().toString(36)}-${Math.floor(parts.clock.random() * 2 ** 32).toString(36)}`;
  }

  /** The port, once it listens. */
  get port(): number | undefined {
    return this.#server?.port;
  }

  /** Opens the port. @throws TsopError `port-in-use`, `certificate-unreadable` */
  async start(maxConnections: number): Promise<void> {
    const { endpoint, clock, log } = this.#parts;
    const { port, reviewed, tls } = endpoint;
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      this.#answer(request, response).catch((error: unknown) => {
        log.warn({ err: error }, `a request for the journal failed: ${messageOf(error)}`);
        if (response.headersSent) response.destroy();
        else response.writeHead(500).end("Internal Server Error\n");
      });
    };
    if (reviewed) {
      const host = endpoint.host === undefined ? {} : { host: endpoint.host };
      const { clients } = endpoint;
      const served = httpTls({ tls, ...present({ clients }) }, clock, log, () => undefined);
      this.#server = await serveHttp({ port, ...host, maxConnections }, listener, served);
    } else this.#server = await serveHttp({ port, host: LOOPBACK, maxConnections }, listener);
    const url = `${reviewed ? "https" : "http"}://${LOOPBACK}:${this.#server.port}`;
    announce(log, { url }, DEBUG_SERVED);
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#server?.stop();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const base = "http://localhost";
    const url = new URL(URL.canParse(request.url ?? "/", base) ? (request.url ?? "/") : "/", base);
    const status = await this.#verdict(request, url.pathname);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    if (status !== 200) {
      response.writeHead(status, { "Content-Type": "text/plain" }).end(REFUSALS[status]);
      return;
    }
    if (url.pathname === LOG_LEVEL) {
      await this.#answerLevel(request, response);
      return;
    }
    const after = Number(url.searchParams.get("after") ?? request.headers["last-event-id"] ?? 0);
    if (url.pathname === EVENTS) this.#follow(response, after);
    else response.writeHead(200, { "Content-Type": "application/json" }).end(this.#state(after));
  }

  async #verdict(request: IncomingMessage, path: string): Promise<number> {
    const { endpoint, filter } = this.#parts;
    const { headers, method } = request;
    // A page of another site in the developer's browser can reach this port, too.
    if (!endpoint.reviewed && !isLocal(headers)) return 403;
    if (path !== JOURNAL && path !== EVENTS && path !== LOG_LEVEL) return 404;
    const writes = path === LOG_LEVEL && method === "PUT";
    if (method !== "GET" && !writes) return 405;
    if (endpoint.reviewed) {
      const { authorization } = headers;
      const { remoteAddress } = request.socket;
      return filter.check({ authorization, remoteAddress, path, verb: writes ? "put" : "get" });
    }
    return hasToken(headers.authorization, endpoint.token) ? 200 : 401;
  }

  async #answerLevel(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { get, set } = this.#parts.logLevel;
    const answer = (status: number, text: string): void => {
      response.writeHead(status, { "Content-Type": "text/plain" }).end(`${text}\n`);
    };
    if (request.method !== "PUT") {
      answer(200, get());
      return;
    }
    let levels = "";
    for await (const chunk of request.setEncoding("utf8")) {
      levels += String(chunk);
      if (levels.length > MOST_LEVEL_BYTES) {
        response.setHeader("Connection", "close");
        answer(413, "The log level is too long.");
        return;
      }
    }
    try {
      answer(200, set(levels.trim()));
    } catch (error) {
      if (!(error instanceof TsopError)) throw error;
      answer(400, `${error.message} ${error.fix}`);
    }
  }

  #state(after: number): string {
    const { journal, operator, clock, queues, usedRights } = this.#parts;
    const answer: JournalAnswer = {
      version: 1,
      operator,
      instance: this.#instance,
      nowMs: clock.now(),
      entries: journal.entries(after),
      queues: queues().map((queue) => ({
        ...queue,
        waiting: queue.waiting.slice(0, MOST_WAITING),
      })),
      usedRights: usedRights.list(),
    };
    return JSON.stringify(answer);
  }

  #follow(response: ServerResponse, after: number): void {
    const { journal, clock } = this.#parts;
    const gone = new AbortController();
    const signal = AbortSignal.any([gone.signal, this.#ended.signal]);
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    let sent = after;
    let stalled: Timer | undefined;
    // No more is written than what the reader takes: the journal has the rest.
    const send = (entry: JournalEntry): void => {
      if (stalled) return;
      sent = entry.number;
      const text = `id: ${entry.number}\nevent: reconcile\ndata: ${JSON.stringify(entry)}\n\n`;
      if (response.write(text)) return;
      stalled = clock.after(STALLED_MS, () => response.destroy(), { unref: true });
    };
    const sendAll = (): void => {
      for (const entry of journal.entries(sent)) send(entry);
    };
    response.on("drain", () => {
      stalled?.cancel();
      stalled = undefined;
      sendAll();
    });
    response.write(`event: instance\ndata: ${JSON.stringify(this.#instance)}\n\n`);
    sendAll();
    journal.follow(send, signal);
    let timer: Timer | undefined;
    const giveSignOfLife = (): void => {
      timer = clock.after(
        SIGN_OF_LIFE_MS,
        () => {
          response.write(": \n\n");
          giveSignOfLife();
        },
        { unref: true },
      );
    };
    giveSignOfLife();
    response.once("close", () => {
      timer?.cancel();
      stalled?.cancel();
      gone.abort();
    });
  }
}

/** Whether a request comes from a local program, or from a page of this server itself. */
function isLocal({ host = "", origin }: IncomingMessage["headers"]): boolean {
  if (!isLoopbackHost(host.replace(/:\d+$/, ""))) return false;
  return origin === undefined || origin === `http://${host}`;
}

function hasToken(authorization: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true;
  const [given, wanted] = [authorization ?? "", `Bearer ${token}`].map((text) => Buffer.from(text));
  return (
    given?.length === wanted?.length && timingSafeEqual(given ?? Buffer.of(), wanted ?? Buffer.of())
  );
}
