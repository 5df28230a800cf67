/**
 * An ACME server (RFC 8555) on the loopback interface, with a certificate authority of its own. It checks what a real one
 * checks: nonces, signatures, answers to challenges, which it reads over HTTP, and requests of certificates.
 */
import { randomBytes, type JsonWebKey } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { CertificateAuthority, hostsOf } from "./certificate-authority.ts";
import {
  headerOf,
  isSignedBy,
  parseRequest,
  payloadOf,
  thumbprintOf,
  type Payload,
  type SignedRequest,
} from "./signed-request.ts";

/** A refusal, as RFC 8555 has it in 6.7. */
export interface Problem {
  readonly status: number;
  readonly type: string;
  readonly detail?: string;
  readonly retryAfterSeconds?: number;
}

/** An order, and what became of it. */
export interface AcmeOrder {
  readonly id: number;
  readonly hosts: readonly string[];
  readonly account: string;
  readonly madeAtMs: number;
  readonly authorizations: Authorization[];
  status: "pending" | "ready" | "processing" | "valid" | "invalid";
  /** From when on there is a certificate. */
  issuedAtMs?: number;
  certificate?: string;
}

interface Authorization {
  readonly id: number;
  readonly host: string;
  readonly token: string;
  status: "pending" | "valid" | "invalid";
  error?: { readonly type: string; readonly detail: string };
}

/** What the server needs of its surroundings. */
export interface AcmeServerOptions {
  readonly clock: { now(): number };
  /** Port 80 of the world. */
  readonly fetch: (url: string) => Promise<Response>;
  /** How long a certificate for a host is valid. */
  readonly lifetimeMs: (host: string) => number;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

interface Asked {
  readonly id: number;
  readonly account: string;
  readonly payload: Payload;
}

class Refusal extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

const refuse = (status: number, type: string, detail?: string): never => {
  throw new Refusal({ status, type, ...(detail !== undefined && { detail }) });
};

const ORDER_MS = 24 * 3_600_000;
/** How long an order takes from its request to its certificate. */
const ISSUE_MS = 8_000;

/** Answers ACME clients until it is stopped. */
export class AcmeServer {
  /** All orders that were ever made. */
  readonly orders: AcmeOrder[] = [];
  /** How many orders were made while another one for the same hosts was under way. */
  doubleOrders = 0;
  /** What is refused: it gets the first part of the path, such as `order`. */
  fault: (endpoint: string) => Problem | undefined = () => undefined;
  /** Whether the server reaches a host. */
  reaches: (host: string) => boolean = () => true;
  readonly #options: AcmeServerOptions;
  readonly #authority: CertificateAuthority;
  readonly #server: Server;
  readonly #nonces = new Set<string>();
  /** The keys of accounts, by their URLs. */
  readonly #accounts = new Map<string, JsonWebKey>();
  readonly #authorizations: Authorization[] = [];

  private constructor(options: AcmeServerOptions, authority: CertificateAuthority) {
    this.#options = options;
    this.#authority = authority;
    this.#server = createServer((request, response) => void this.#respond(request, response));
  }

  static async start(options: AcmeServerOptions): Promise<AcmeServer> {
    const authority = await CertificateAuthority.create(options.clock.now());
    const server = new AcmeServer(options, authority);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  get directoryUrl(): string {
    return this.#url("directory");
  }

  get accounts(): number {
    return this.#accounts.size;
  }

  #url(path: string): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("it does not listen");
    return `http://127.0.0.1:${address.port}/${path}`;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const nonce = randomBytes(16).toString("base64url");
    this.#nonces.add(nonce);
    response.setHeader("Replay-Nonce", nonce);
    const { status = 200, headers = {}, body } = await this.#answer(request).catch(refusalOf);
    const isText = typeof body === "string";
    const type = isText ? "application/pem-certificate-chain" : "application/json";
    response.writeHead(status, { "Content-Type": type, ...headers });
    response.end(isText ? body : JSON.stringify(body));
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const { url = "/" } = request;
    const [, endpoint = "nothing", id] = url.split("/");
    if (endpoint === "nonce") return {};
    if (endpoint === "directory") {
      const [newNonce, newAccount, newOrder] = ["nonce", "account", "order"].map((path) =>
        this.#url(path),
      );
      return { body: { newNonce, newAccount, newOrder } };
    }
    const signed = parseRequest(await text(request));
    const { account, isNew } = this.#accountOf(signed, this.#url(url.slice(1)));
    const problem = this.fault(endpoint);
    if (problem) throw new Refusal(problem);
    const asked = { id: Number(id), account, payload: payloadOf(signed) };
    switch (endpoint) {
      case "account":
        return {
          status: isNew ? 201 : 200,
          headers: { Location: account },
          body: { status: "valid" },
        };
      case "order":
        return id === undefined
          ? this.#newOrder(asked)
          : { body: this.#shown(this.#orderOf(asked)) };
      case "authorization":
        return { body: this.#shownProof(this.#proofOf(asked)) };
      case "challenge":
        return this.#prove(asked);
      case "finalize":
        return this.#finalize(asked);
      case "certificate":
        return { body: this.#orderOf(asked).certificate };
      default:
        return refuse(404, "malformed", "there is no such resource");
    }
  }

  /** Whose request it is, when all that protects it holds. */
  #accountOf(signed: SignedRequest, url: string): { account: string; isNew: boolean } {
    const header = headerOf(signed);
    if (!this.#nonces.delete(header.nonce)) refuse(400, "badNonce", "the nonce is not one of mine");
    if (header.url !== url) refuse(401, "unauthorized", "the signature is for another URL");
    const jwk = header.jwk ?? this.#accounts.get(header.kid ?? "none");
    if (!jwk) return refuse(400, "accountDoesNotExist", "there is no such account");
    if (!isSignedBy(signed, jwk)) refuse(401, "unauthorized", "the signature is wrong");
    const known = [...this.#accounts].find(([, one]) => thumbprintOf(one) === thumbprintOf(jwk));
    if (known) return { account: known[0], isNew: false };
    const account = this.#url(`account/${this.#accounts.size + 1}`);
    this.#accounts.set(account, jwk);
    return { account, isNew: true };
  }

  #newOrder({ account, payload }: Asked): Answer {
    const hosts = (payload.identifiers ?? []).map(({ value }) => value);
    for (const order of this.orders) {
      const isOpen = !["valid", "invalid"].includes(this.#refreshed(order).status);
      if (isOpen && String(order.hosts) === String(hosts)) this.doubleOrders++;
    }
    const authorizations = hosts.map((host) => {
      const token = randomBytes(32).toString("base64url");
      const id = this.#authorizations.length;
      const authorization: Authorization = { id, host, token, status: "pending" };
      this.#authorizations.push(authorization);
      return authorization;
    });
    const madeAtMs = this.#options.clock.now();
    const id = this.orders.length;
    const order: AcmeOrder = { id, hosts, account, madeAtMs, authorizations, status: "pending" };
    this.orders.push(order);
    const headers = { Location: this.#url(`order/${id}`) };
    return { status: 201, headers, body: this.#shown(order) };
  }

  #orderOf({ id, account }: Asked): AcmeOrder {
    const order = this.orders[id];
    if (!order || order.account !== account)
      return refuse(404, "malformed", "there is no such order");
    return this.#refreshed(order);
  }

  /** What time has made of an order. */
  #refreshed(order: AcmeOrder): AcmeOrder {
    const nowMs = this.#options.clock.now();
    const proofs = new Set(order.authorizations.map(({ status }) => status));
    const isOpen = order.status === "pending" || order.status === "ready";
    if (isOpen && (proofs.has("invalid") || nowMs > order.madeAtMs + ORDER_MS)) {
      order.status = "invalid";
    } else if (order.status === "pending" && !proofs.has("pending")) {
      order.status = "ready";
    } else if (order.status === "processing" && nowMs >= (order.issuedAtMs ?? Infinity)) {
      order.status = "valid";
    }
    return order;
  }

  #proofOf({ id, account }: Asked): Authorization {
    const order = this.orders.find(({ authorizations }) =>
      authorizations.some((authorization) => authorization.id === id),
    );
    const authorization = this.#authorizations[id];
    if (!authorization || order?.account !== account) {
      return refuse(404, "malformed", "there is no such authorization");
    }
    return authorization;
  }

  /** Reads the answer to a challenge, where it has to be. */
  async #prove(asked: Asked): Promise<Answer> {
    const authorization = this.#proofOf(asked);
    const { host, token } = authorization;
    const key = this.#accounts.get(asked.account);
    if (!key) return refuse(400, "accountDoesNotExist");
    const url = `http://${host}/.well-known/acme-challenge/${token}`;
    const response = this.reaches(host) ? await this.#options.fetch(url) : undefined;
    const found = await response?.text();
    if (authorization.status === "pending") {
      const isProven = response?.ok && found?.trim() === `${token}.${thumbprintOf(key)}`;
      authorization.status = isProven ? "valid" : "invalid";
      const detail = `${url} does not have the answer`;
      if (!isProven) authorization.error = { type: "unauthorized", detail };
    }
    return { body: this.#shownProof(authorization).challenges[0] };
  }

  async #finalize(asked: Asked): Promise<Answer> {
    const order = this.#orderOf(asked);
    if (order.status !== "ready") refuse(403, "orderNotReady", `the order is ${order.status}`);
    const { csr } = asked.payload;
    if (csr === undefined) return refuse(400, "badCSR", "there is no request");
    const hosts = await hostsOf(csr).catch(() =>
      refuse(400, "badCSR", "the request is not signed"),
    );
    if (String(hosts.sort()) !== String([...order.hosts].sort()))
      refuse(400, "badCSR", "other hosts");
    const nowMs = this.#options.clock.now();
    const [host = "none"] = order.hosts;
    order.issuedAtMs = nowMs + ISSUE_MS;
    order.certificate = await this.#authority.sign(
      csr,
      nowMs,
      nowMs + this.#options.lifetimeMs(host),
    );
    order.status = "processing";
    return { body: this.#shown(order) };
  }

  #shown(order: AcmeOrder): object {
    const { id, status, hosts, authorizations } = order;
    return {
      status,
      identifiers: hosts.map((value) => ({ type: "dns", value })),
      authorizations: authorizations.map((one) => this.#url(`authorization/${one.id}`)),
      finalize: this.#url(`finalize/${id}`),
      ...(status === "valid" && { certificate: this.#url(`certificate/${id}`) }),
    };
  }

  #shownProof({
    id,
    host,
    token,
    status,
    error,
  }: Authorization): { challenges: object[] } & object {
    const url = this.#url(`challenge/${id}`);
    const others = { type: "dns-01", url: `${url}/dns`, status: "pending", token };
    return {
      ...{ status, identifier: { type: "dns", value: host } },
      challenges: [{ type: "http-01", url, status, token, error }, others],
    };
  }
}

/** The answer of a refused request. */
function refusalOf(error: unknown): Answer {
  if (!(error instanceof Refusal)) return { status: 500, body: { detail: String(error) } };
  const { status, type, detail, retryAfterSeconds } = error.problem;
  const headers = retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) };
  const body = { type: `urn:ietf:params:acme:error:${type}`, detail, status };
  return { status, body, ...(headers && { headers }) };
}
