/**
 * The HTTPS server behind the webhooks: what comes in, within limits, and answers in time.
 *
 * It speaks HTTP/1.1 only, and so does an API server with webhooks: over HTTP/2 it would send all requests to one replica
 * (kubernetes/kubernetes#75791).
 *
 * @module
 */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { Socket } from "node:net";
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { parseExactBytes } from "../client/exact-json.ts";
import type { ServerCertificate } from "../manager/certificate-files.ts";
import { type Endpoint, listen, STRANGER_LIMITS, tlsOptions } from "../manager/listening.ts";
import { Patience, patienceOf } from "./patience.ts";
import { type AskedReview, failureReply, type Reply, ReviewFailure } from "./replies.ts";
import { BodyBudget, bodyOf } from "./request-body.ts";
import { SilentConnections } from "./silent-connections.ts";
import type { PathMetrics } from "./webhook-metrics.ts";

/** What is served at a path. */
export interface ServedPath {
  readonly metrics: PathMetrics;
  readonly maxBytes: number;
  /** How long an answer may take where the request does not say. */
  readonly defaultTimeoutMs: number;
  /** How a body is to be answered, as far as it can be read. */
  askedBy(body: unknown): AskedReview;
  /** @throws ReviewFailure */
  answer(body: unknown, asked: AskedReview, patience: Patience): Reply | Promise<Reply>;
}

const MAX_CONNECTIONS = 2000;
const MAX_SILENT_CONNECTIONS = 500;
const MAX_BODIES_BYTES = 256 * 1024 * 1024;
// The API server closes an idle connection after 90 s. Were we the first, a request could be on its way.
const KEEP_ALIVE_MS = 95_000;
const HANDSHAKE_MS = 10_000;

/** Nothing of a request could be read. */
const UNREAD: AskedReview = { uid: "", apiVersion: "", kind: "AdmissionReview" };

/** Serves webhooks. */
export class WebhookServer {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #paths: ReadonlyMap<string, ServedPath>;
  readonly #server: Server;
  readonly #silent = new SilentConnections(MAX_SILENT_CONNECTIONS);
  readonly #budget = new BodyBudget(MAX_BODIES_BYTES);
  readonly #open = new Set<Patience>();
  #isStopping = false;

  constructor(
    { clock, log }: { readonly clock: Clock; readonly log: Logger },
    paths: ReadonlyMap<string, ServedPath>,
    certificate: ServerCertificate,
  ) {
    this.#clock = clock;
    this.#log = log;
    this.#paths = paths;
    const limits = {
      ...STRANGER_LIMITS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      handshakeTimeout: HANDSHAKE_MS,
    };
    this.#server = createServer({ ...tlsOptions(certificate), ...limits });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on("connection", (socket) => {
      if (socket instanceof Socket) this.#silent.opened(socket);
    });
    this.#server.on("request", (request, response) => {
      void this.#exchange(request, response);
    });
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
    const timer = this.#clock.after(withinMs, () => {
      this.close();
    });
    await closed;
    timer.cancel();
  }

  /** Ends it at once. */
  close(): void {
    this.#isStopping = true;
    for (const patience of this.#open) {
      patience.end(new ReviewFailure(503, "the operator is ending"));
    }
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#silent.spoke(request.socket);
    const { url = "/" } = request;
    const at = url.indexOf("?");
    const path = this.#paths.get(at < 0 ? url : url.slice(0, at));
    const done = path?.metrics.began();
    let reply: Reply;
    if (path) {
      const query = at < 0 ? "" : url.slice(at + 1);
      const patience = new Patience(this.#clock, patienceOf(query, path.defaultTimeoutMs));
      this.#open.add(patience);
      response.on("close", () => {
        this.#open.delete(patience);
        if (response.writableFinished) return;
        patience.end(new ReviewFailure(504, "nobody waits for the answer any more"));
      });
      reply = await this.#reply(request, path, patience);
    } else {
      request.resume();
      reply = failureReply(UNREAD, new ReviewFailure(404, "no webhook is served at this path"));
    }
    const { status, body } = reply;
    // After a request that broke a rule nothing more is read from this connection.
    if (this.#isStopping || !request.complete) response.setHeader("Connection", "close");
    response
      .writeHead(status, {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
      })
      .end(body);
    done?.(status);
  }

  async #reply(request: IncomingMessage, path: ServedPath, patience: Patience): Promise<Reply> {
    let asked = UNREAD;
    try {
      const bytes = await bodyOf(request, path.maxBytes, this.#budget);
      const body = parsed(request, bytes);
      asked = path.askedBy(body);
      return await path.answer(body, asked, patience);
    } catch (error) {
      if (error instanceof ReviewFailure) return failureReply(asked, error);
      // An answer that has no JSON.
      this.#log.error({ err: error, uid: asked.uid }, `a review failed: ${messageOf(error)}`);
      return failureReply(asked, new ReviewFailure(500, messageOf(error)));
    }
  }
}

/** @throws ReviewFailure */
function parsed({ method, headers }: IncomingMessage, bytes: Buffer): unknown {
  if (method !== "POST") throw new ReviewFailure(405, "a review is asked for with POST");
  if (bytes.length === 0) throw new ReviewFailure(400, "the request has no body");
  const [type = ""] = (headers["content-type"] ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/json") {
    throw new ReviewFailure(400, `the content type is ${type.slice(0, 100)}, not application/json`);
  }
  if (!isUtf8(bytes)) throw new ReviewFailure(400, "the body is not UTF-8");
  try {
    return parseExactBytes(bytes, bytes.toString());
  } catch (error) {
    throw new ReviewFailure(400, `the body is not JSON: ${messageOf(error)}`);
  }
}
