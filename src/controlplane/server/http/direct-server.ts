/** Requests from within the process: an `HttpServer` without a socket. Promises drive all of it. */
import { createHash } from "node:crypto";
import { errorFrom } from "../../../errors.ts";
import type { PeerIdentity } from "../../auth/authenticator.ts";
import { BODY_MAX_BYTES, bodyTooLarge, headerText, parseTarget } from "./http-messages.ts";
import type { Answer, RawRequest } from "../requests/request.ts";

/** A request as it would go over the wire. */
export interface DirectRequest {
  /** In upper case. */
  readonly method: string;
  /** With its query, percent-encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The user of the client certificate; absent without one. */
  readonly certificate?: Certificate;
}

/** The user of a client certificate; the same object for all requests of a client. */
interface Certificate {
  readonly user: string;
  readonly groups: readonly string[];
}

/** An answer as it would come over the wire. */
export interface DirectAnswer {
  readonly status: number;
  /** Names in lower case; repeated headers are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The whole body, or a function that writes its pieces until it is complete. Rejects when the
   * server cuts the connection.
   */
  readonly body: string | Uint8Array | ((write: (piece: string) => void) => Promise<void>);
}

/** A request under way. */
export interface DirectExchange {
  /** Rejects when the server cuts the connection first. */
  readonly answer: Promise<DirectAnswer>;
  /** The client leaves, or has the whole answer. */
  leave(): void;
  /** The client leaves at once: an answer that has not arrived is rejected, and so is a stream. */
  cut(): void;
}

/** Thrown when the server has cut the connection. */
class CutConnection extends Error {
  constructor() {
    super("the control plane cut the connection");
  }
}

export class DirectServer {
  readonly #handle: (request: RawRequest) => Promise<Answer>;
  readonly #nowMs: () => number;
  readonly #exchanges = new Set<Exchange>();
  readonly #peers = new WeakMap<Certificate, PeerIdentity>();
  #closed = false;

  constructor(handle: (request: RawRequest) => Promise<Answer>, nowMs: () => number) {
    this.#handle = handle;
    this.#nowMs = nowMs;
  }

  /** Begins to answer a request. */
  request(request: DirectRequest): DirectExchange {
    const exchange = new Exchange((over) => this.#exchanges.delete(over));
    this.#exchanges.add(exchange);
    if (this.#closed) exchange.cut();
    else void this.#respond(request, exchange);
    return exchange;
  }

  /** Cuts all requests under way. */
  dropConnections(): void {
    for (const exchange of [...this.#exchanges]) exchange.cut();
  }

  /** Cuts all requests under way, and all later ones. */
  close(): void {
    this.#closed = true;
    this.dropConnections();
  }

  async #respond(request: DirectRequest, exchange: Exchange): Promise<void> {
    const { method, target, certificate, body } = request;
    try {
      const answer = await this.#handle({
        method,
        ...parseTarget(target),
        headers: request.headers,
        ...(certificate ? { peer: this.#peerOf(certificate) } : {}),
        body: () => bytesOf(body),
        whenGone: (listener) => exchange.whenGone(listener),
      });
      exchange.resolve(this.#asSent(answer, method, exchange));
    } catch (error) {
      exchange.failed(error);
    }
  }

  #asSent({ status, headers, body }: Answer, method: string, exchange: Exchange): DirectAnswer {
    const sent: Record<string, string> = { date: new Date(this.#nowMs()).toUTCString() };
    for (const [name, value] of Object.entries(headers)) {
      sent[name.toLowerCase()] = (Array.isArray(value) ? value : [value])
        .map(headerText)
        .join(", ");
    }
    if (typeof body === "function") {
      return { status, headers: sent, body: (write) => exchange.stream(body, write) };
    }
    sent["content-length"] = String(Buffer.byteLength(body));
    return { status, headers: sent, body: method === "HEAD" ? "" : body };
  }

  /** The identity in a certificate that this control plane would issue. */
  #peerOf(certificate: Certificate): PeerIdentity {
    const known = this.#peers.get(certificate);
    if (known) return known;
    const { user, groups } = certificate;
    const fingerprint = createHash("sha256")
      .update(JSON.stringify([user, groups]))
      .digest("hex");
    const peer = { commonName: user, organizations: groups, fingerprint };
    this.#peers.set(certificate, peer);
    return peer;
  }
}

class Exchange implements DirectExchange {
  readonly answer: Promise<DirectAnswer>;
  resolve: (answer: DirectAnswer) => void = () => undefined;
  readonly #onOver: (exchange: Exchange) => void;
  readonly #listeners: (() => void)[] = [];
  readonly #cuts: ((error: Error) => void)[] = [];
  #over = false;

  constructor(onOver: (exchange: Exchange) => void) {
    this.#onOver = onOver;
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.#cuts.push(reject);
    });
  }

  leave(): void {
    if (this.#over) return;
    this.#over = true;
    this.#onOver(this);
    for (const listener of this.#listeners.splice(0)) listener();
  }

  cut(): void {
    this.failed(new CutConnection());
    this.leave();
  }

  whenGone(listener: () => void): void {
    if (this.#over) listener();
    else this.#listeners.push(listener);
  }

  failed(error: unknown): void {
    const reason = errorFrom(error);
    for (const cut of this.#cuts.splice(0)) cut(reason);
  }

  /** Writes the pieces until the server ends, or the connection is cut. */
  stream(
    write: Exclude<Answer["body"], string | Uint8Array>,
    take: (piece: string) => void,
  ): Promise<void> {
    if (this.#over) return Promise.reject(new CutConnection());
    return new Promise((resolve, reject) => {
      this.#cuts.push(reject);
      write((piece) => {
        if (!this.#over) take(piece);
      }).then(resolve, reject);
    });
  }
}

/** @throws StatusError 413 */
async function bytesOf(body: string | undefined): Promise<Uint8Array> {
  const bytes = Buffer.from(body ?? "", "utf8");
  if (bytes.length > BODY_MAX_BYTES) throw bodyTooLarge();
  return Promise.resolve(bytes);
}
