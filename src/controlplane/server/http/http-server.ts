/** Sockets: TLS, HTTP/1.1, bodies, streams. Everything else is `Api`. */
import type { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Server, type ServerOptions, createServer } from "node:https";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { TLSSocket } from "node:tls";
import { settlePromises } from "../../../clock.ts";
import { TsopError } from "../../../errors.ts";
import { failure } from "../../../kube/status.ts";
import { type KeyPair, subjectOf } from "../../../kube/x509/certificate.ts";
import type { Subject } from "../../../kube/x509/subject.ts";
import { advertisedAddress } from "../../advertised-address.ts";
import type { Credentials } from "../../auth/authenticator.ts";
import type { CertificateAuthority } from "../../auth/certificates.ts";
import { present } from "../../../present.ts";
import { BODY_MAX_BYTES, bodyTooLarge, headerText, parseTarget } from "./http-messages.ts";
import type { Answer, RawRequest } from "../requests/request.ts";
import {
  type Returned,
  acceptWebSocket,
  asksForWebSocket,
  holdBack,
  plainHead,
} from "./upgrades.ts";

interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /** Issues the certificates of clients, and the server's own. */
  readonly authority: CertificateAuthority;
  /** The server's certificate; a new one when absent. */
  readonly served: KeyPair | undefined;
  readonly handle: (request: RawRequest) => Promise<Answer>;
}

/** The limit of Go's server; Node's own 16 KiB are too few for a long label selector. */
const HEADER_MAX_BYTES = 1024 * 1024;
/** How many bytes of a body are read after the answer, so that its sender gets to see that. */
const UNWANTED_MAX_BYTES = 64 * 1024 * 1024;

/** The API's HTTPS server. */
export class HttpServer {
  /** The server's certificate, with its key. */
  readonly served: KeyPair;
  /** The port that it listens on; before that, the one that was asked for. */
  port: number;
  readonly #options: HttpServerOptions;
  readonly #sockets = new Set<Socket>();
  readonly #peers = new WeakMap<Socket, Credentials["peer"]>();
  /** The latest response of each connection. */
  readonly #responses = new WeakMap<Socket, ServerResponse>();
  readonly #returned = new WeakMap<Socket, Returned>();
  #server: Server | undefined;
  #turn: Promise<void> | undefined;

  constructor(options: HttpServerOptions) {
    const { host, port, authority, served } = options;
    const names = ["localhost", "127.0.0.1", "::1", host, advertisedAddress(host)];
    this.#options = options;
    this.port = port;
    this.served = served ?? authority.server([...names, "kubernetes.default.svc"]);
  }

  /** Opens the socket. @throws TsopError `port-in-use` */
  async listen(): Promise<void> {
    const { host, port } = this.#options;
    const server = createServer(
      withUpgrades({
        cert: this.served.certificate,
        key: this.served.key,
        // Unless the list is empty, Node first reads its own 150 authorities: a third of the whole
        // start.
        ca: [],
        requestCert: true,
        rejectUnauthorized: false,
        sessionIdContext: "tsop",
        maxHeaderSize: HEADER_MAX_BYTES,
        keepAliveTimeout: 120_000,
        requestTimeout: 0,
      }),
      (request, response) => {
        this.#respond(request, response).catch(() => {
          // An answer that cannot be written cannot be replaced either; the client sees the
          // connection end.
          response.destroy();
        });
      },
    );
    this.#server = server;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    server.on("secureConnection", readAsStream);
    server.on("upgrade", (request, socket: TLSSocket, rest: Buffer) => {
      holdBack(socket);
      if (rest.length > 0) socket.unshift(rest);
      this.#upgrade(request, socket).catch(() => socket.destroy());
    });
    // A client without TLS, or one that leaves during the handshake, is not the server's concern.
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) => {
        reject(error.code === "EADDRINUSE" ? portInUse(host, port, error) : error);
      });
      server.listen(port, host, resolve);
    });
    const address = server.address();
    if (typeof address === "object" && address) this.port = address.port;
  }

  /** Cuts all connections; the server keeps listening. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Stops listening and cuts all connections. */
  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      this.dropConnections();
    });
  }

  async #respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = incoming;
    if (!response.socket) await turnOf(response, socket);
    this.#responses.set(socket, response);
    const returned = this.#returned.get(socket);
    if (returned) {
      this.#returned.delete(socket);
      incoming.headers.upgrade = returned.upgrade;
    }
    // The request's `close` comes with the end of its body, the response's when the client leaves.
    const answer = returned?.answer ?? (await this.#handle(incoming, response));
    await this.#endOfTurn();
    if (response.destroyed) return;
    await this.#send(response, answer);
    if (!incoming.complete) discardRest(incoming);
  }

  #handle(
    incoming: IncomingMessage,
    connection: Pick<Writable, "destroyed" | "once">,
  ): Promise<Answer> {
    const { socket } = incoming;
    const peer = socket instanceof TLSSocket ? this.#peerOf(socket) : undefined;
    return this.#options.handle({
      method: incoming.method ?? "GET",
      ...parseTarget(incoming.url ?? "/"),
      headers: incoming.headers,
      ...(peer ? { peer } : {}),
      body: () => readBody(incoming),
      whenGone: (listener) => {
        if (connection.destroyed) listener();
        else connection.once("close", listener);
      },
    });
  }

  /** Answers a request to upgrade the connection; has the parser take one that is not upgraded as an ordinary one. */
  async #upgrade(incoming: IncomingMessage, socket: TLSSocket): Promise<void> {
    const before = this.#responses.get(socket);
    if (before && !before.closed) await once(before, "close");
    const answer = asksForWebSocket(incoming) ? await this.#handle(incoming, socket) : undefined;
    if (socket.destroyed) return;
    if (answer?.webSocket === undefined || typeof answer.body !== "function") {
      this.#returned.set(socket, {
        upgrade: incoming.headers.upgrade ?? "",
        ...present({ answer }),
      });
      socket.unshift(plainHead(incoming));
      this.#server?.emit("secureConnection", socket);
      socket.resume();
      return;
    }
    const webSocket = acceptWebSocket(incoming, socket, this.#peerOf(socket) !== undefined);
    if (!webSocket) return;
    await answer.body(this.#together(socket, (line) => webSocket.send(line)));
    await this.#endOfTurn();
    webSocket.close();
  }

  #peerOf(socket: TLSSocket): Credentials["peer"] {
    if (this.#peers.has(socket)) return this.#peers.get(socket);
    const certificate = socket.getPeerX509Certificate();
    if (!certificate) return undefined;
    const isTrusted = this.#options.authority.vouchesFor(certificate);
    const peer = isTrusted ? identityOf(certificate) : "untrusted";
    this.#peers.set(socket, peer);
    return peer;
  }

  async #send(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
    const texts: Record<string, string | number | string[]> = {};
    for (const [name, value] of Object.entries(headers)) {
      texts[name] = Array.isArray(value) ? value.map(headerText) : headerText(value);
    }
    if (typeof body !== "function") {
      const length = Buffer.byteLength(body);
      texts["content-length"] = length;
      response.writeHead(status, texts);
      // An ASCII text is sent in one piece with the headers; another would be encoded with them
      // once more.
      if (typeof body !== "string") response.end(body);
      else if (body.length === length) response.end(body, "latin1");
      else response.end(Buffer.from(body, "utf8"));
      return;
    }
    response.writeHead(status, texts);
    response.flushHeaders();
    await body(this.#together(response, (line) => response.write(line)));
    response.end();
  }

  /** A writer of lines; those of one turn are sent in one piece. */
  #together(
    stream: Pick<Writable, "cork" | "uncork">,
    write: (line: string) => void,
  ): (line: string) => void {
    let isCorked = false;
    return (line) => {
      if (!isCorked) {
        isCorked = true;
        stream.cork();
        void this.#endOfTurn().then(() => {
          isCorked = false;
          stream.uncork();
        });
      }
      write(line);
    };
  }

  /**
   * Resolves when everything received so far is handled. Waking a client by an answer takes longer
   * than writing it, so answers that are ready at the same time are sent together.
   */
  #endOfTurn(): Promise<void> {
    this.#turn ??= settlePromises().then(() => {
      this.#turn = undefined;
    });
    return this.#turn;
  }
}

/**
 * Has Node's parser hand over only the requests that can be upgraded, from Node.js 24.9 on; earlier ones hand over all
 * with the header.
 */
function withUpgrades(options: ServerOptions): ServerOptions {
  const more = { ...options, shouldUpgradeCallback: asksForWebSocket };
  return more;
}

/**
 * Has Node's HTTP parser take what was received from the stream, and not from beneath it.
 *
 * A large answer counts as unsent until the event loop's next turn, although it has arrived long
 * since. A request that comes before that pauses socket and parser; TLS still hands on what it has
 * decrypted, the paused parser takes that for an error (`HPE_PAUSED`), and Node resets the
 * connection. A paused stream keeps it instead. To listen to `data` is Node's own switch between
 * the two.
 */
function readAsStream(socket: TLSSocket): void {
  socket.on("data", () => {});
}

/**
 * Resolves when the answers to earlier requests of the connection were sent: requests on one
 * connection are served one after the other, as in Go. Until then no more of them are read.
 */
async function turnOf(response: ServerResponse, socket: Socket): Promise<void> {
  socket.pause();
  await new Promise((resolve) => response.once("socket", resolve));
  socket.resume();
}

/** Reads the rest of a body whose request is answered; a client that never ends it is cut off. */
function discardRest(incoming: IncomingMessage): void {
  let size = 0;
  incoming.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > UNWANTED_MAX_BYTES) incoming.destroy();
  });
  incoming.resume();
}

function portInUse(host: string, port: number, cause: Error): TsopError {
  return new TsopError(
    "port-in-use",
    `Port ${port} of ${host} is taken by another program.`,
    "Pass another port, or 0 to take any free one.",
    { cause },
  );
}

/** The identity in a certificate of our CA; `undefined` without a common name. */
function identityOf(certificate: X509Certificate): Credentials["peer"] {
  let subject: Subject;
  try {
    subject = subjectOf(certificate);
  } catch {
    // Go refuses to read such a certificate, and a client gets no details.
    return "untrusted";
  }
  if (subject.commonName === "") return undefined;
  const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
  return { ...subject, fingerprint };
}

/** @throws StatusError 413, or 400 when the client leaves before the whole body has arrived */
function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isWhole = false;
    const cut = (): void => {
      if (!isWhole) reject(failure(400, "BadRequest", "unexpected EOF"));
    };
    if (incoming.destroyed) cut();
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_MAX_BYTES) chunks.push(chunk);
      else reject(bodyTooLarge());
    });
    incoming.on("end", () => {
      isWhole = true;
      const [first] = chunks;
      resolve(first && chunks.length === 1 ? first : Buffer.concat(chunks));
    });
    incoming.on("error", cut);
    incoming.on("close", cut);
  });
}
