/**
 * Calls webhooks: a POST of JSON over TLS, with the failures worded as the API server words them.
 *
 * Used for admission and for conversion, which make the objects and read the answers.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#contacting-the-webhook
 */
import type { X509Certificate } from "node:crypto";
import { Agent, type AgentOptions, request as httpsRequest } from "node:https";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { posix } from "node:path";
import type { Duplex } from "node:stream";
import { connect, type ConnectionOptions } from "node:tls";
import { systemClock, type Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import { quote } from "../../kube/field-errors.ts";
import { encodeJson } from "../../kube/json.ts";
import type { WebhookTarget } from "../../kube/webhooks/webhook-address.ts";
import { SERVICES } from "../builtin/tokens.ts";
import { collectionOf, type ObjectSource } from "../resource-name.ts";
import { storeKey } from "../store/store.ts";
import type { ServiceRoutes } from "./service-routes.ts";
import { answerProblem } from "./webhook-answer.ts";
import { type Address, type Exchange, redirected } from "./webhook-redirect.ts";
import { certificatesIn, distrustOf } from "./webhook-certificate.ts";
import { present } from "../../present.ts";

/** Thrown for a call without a usable answer; the message says why, as Go would. */
export class WebhookCallError extends Error {
  override readonly name = "WebhookCallError";
}

/** The parts of the cluster that a caller needs. */
export interface WebhookSurroundings {
  readonly store: Pick<ObjectSource, "get">;
  readonly clock: Clock;
  /** The addresses of Services; one that is not in them cannot be reached. */
  readonly routes: ServiceRoutes;
}

const ANSWER_MAX_BYTES = 3 * 1024 * 1024;
/** The limit of Go's client: the first request and nine redirects. */
const REQUESTS_MAX = 10;

/** Calls webhooks, and keeps connections for later calls. */
export class WebhookCaller {
  readonly #surroundings: WebhookSurroundings;
  readonly #agents = new Map<string, Agent>();

  constructor(surroundings: WebhookSurroundings) {
    this.#surroundings = surroundings;
  }

  /**
   * Posts `body` and returns the bytes of a successful answer.
   *
   * @param timeoutSeconds - also sent to the webhook, in the query
   * @throws WebhookCallError
   */
  async post(target: WebhookTarget, body: object, timeoutSeconds: number): Promise<Buffer> {
    const url = urlOf(target, timeoutSeconds);
    const shown = shownUrl(target, url);
    const failed = failedAt(shown);
    const { clock } = this.#surroundings;
    const began = clock.monotonicMs();
    const connectTo = await this.#addressOf(target, timeoutSeconds, failed);
    if (target.service && connectTo === undefined) {
      throw failed(this.#whyUnreachable(target.service));
    }
    const endsAtMs = began + timeoutSeconds * 1000;
    const asked: Exchange = {
      method: "POST",
      url,
      shown,
      ...(connectTo ? { connectTo } : {}),
      host: shownHost(target, url),
      body: Buffer.from(encodeJson(body)),
    };
    const answer = await this.#follow(target, asked, endsAtMs);
    const problem = answerProblem(answer);
    if (problem !== undefined) throw new WebhookCallError(problem);
    return answer.body;
  }

  /** Sends the request, and follows redirects as Go's client does. */
  async #follow(target: WebhookTarget, first: Exchange, endsAtMs: number): Promise<WebhookAnswer> {
    let exchange = first;
    for (let requests = 1; ; requests += 1) {
      const answer = await this.#ask(target, exchange, endsAtMs);
      const next = redirected(exchange, answer);
      if (next === undefined) return answer;
      if (requests === REQUESTS_MAX) {
        throw failedAt(answer.location ?? "")(`stopped after ${REQUESTS_MAX} redirects`);
      }
      // The Service's address applies to its own host name only.
      const isFirst = first.connectTo && next.url.host === first.url.host;
      exchange = isFirst ? { ...next, connectTo: first.connectTo, host: first.host } : next;
    }
  }

  #ask(target: WebhookTarget, exchange: Exchange, endsAtMs: number): Promise<WebhookAnswer> {
    const { method, url, connectTo, host, body, referer } = exchange;
    const isSecure = url.protocol === "https:";
    const options: RequestOptions = {
      method,
      path: `${url.pathname}${url.search}`,
      protocol: url.protocol,
      host: connectTo?.host ?? url.hostname.replace(/^\[|\]$/g, ""),
      port: connectTo?.port ?? (url.port === "" ? (isSecure ? 443 : 80) : url.port),
      headers: {
        host,
        ...(body ? { "content-type": "application/json" } : {}),
        accept: "application/json, */*",
        ...present({ referer }),
      },
      ...(isSecure ? { agent: this.#agentOf(target, url) } : {}),
    };
    const leftMs = endsAtMs - this.#surroundings.clock.monotonicMs();
    return this.#send(options, body, leftMs, failedAt(exchange.shown));
  }

  /** Closes the connections. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  /** The address to connect to when it is not the URL's host; waits for a promised one. */
  async #addressOf(
    { service }: WebhookTarget,
    timeoutSeconds: number,
    failed: (why: string) => WebhookCallError,
  ): Promise<Address | undefined> {
    if (!service) return undefined;
    const { namespace, name, port = 443 } = service;
    const { routes, clock } = this.#surroundings;
    const found = routes.find(namespace, name, port);
    if (found === undefined) return undefined;
    if (typeof found === "string") return addressIn(found);
    return new Promise((resolve, reject) => {
      const timer = clock.after(timeoutSeconds * 1000, () => {
        reject(failed("context deadline exceeded"));
      });
      found
        .then(
          (address) => resolve(addressIn(address)),
          (error: unknown) => reject(failed(messageOf(error))),
        )
        .finally(() => timer.cancel());
    });
  }

  /** Why a Service without an address on this machine cannot be called. */
  #whyUnreachable({ namespace, name, port = 443 }: NonNullable<WebhookTarget["service"]>): string {
    const found = this.#surroundings.store.get(collectionOf(SERVICES), storeKey(namespace, name));
    if (!found) return `service ${quote(name)} not found`;
    const { spec } = found;
    const address = spec.clusterIP ?? "";
    if (address === "" || address === "None") {
      return `cannot route to service with ClusterIP ${quote(address)}`;
    }
    if (!spec.ports?.some((one) => one.port === port)) {
      return `no service port ${port} found for service ${quote(name)}`;
    }
    return `dial tcp ${address}:${port}: connect: no route to host`;
  }

  #agentOf({ caBundle = "" }: WebhookTarget, url: URL): Agent {
    const key = `${url.host} ${caBundle}`;
    const known = this.#agents.get(key);
    if (known) return known;
    const pool = caBundle === "" ? [] : certificatesOf(caBundle);
    const agent = new GoTrustAgent(url.hostname.replace(/^\[|\]$/g, ""), pool, {
      keepAlive: true,
      servername: /^[\d.]+$|^\[/.test(url.hostname) ? "" : url.hostname,
    });
    this.#agents.set(key, agent);
    return agent;
  }

  async #send(
    options: RequestOptions,
    body: Buffer | undefined,
    timeoutMs: number,
    failed: (why: string) => WebhookCallError,
  ): Promise<WebhookAnswer> {
    const gone = new AbortController();
    const timer = this.#surroundings.clock.after(timeoutMs, () => gone.abort());
    try {
      for (;;) {
        const outcome = await attempt({ ...options, signal: gone.signal }, body);
        if (!("error" in outcome)) return outcome;
        if (gone.signal.aborted) throw failed("context deadline exceeded");
        // The server closed a kept connection without reading the request.
        if (!outcome.reused) throw failed(goNetworkError(outcome.error));
      }
    } finally {
      timer.cancel();
    }
  }
}

/** Keeps connections to servers that Go would trust; no request is sent before that is checked. */
class GoTrustAgent extends Agent {
  readonly #host: string;
  readonly #pool: readonly X509Certificate[];

  /** @param pool - the trusted certificates; empty for the system's authorities */
  constructor(host: string, pool: readonly X509Certificate[], options: AgentOptions) {
    super(options);
    this.#host = host;
    this.#pool = pool;
  }

  override createConnection(
    options: ConnectionOptions,
    created: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const ca = this.#pool.map((certificate) => certificate.toString());
    const socket = connect({
      ...options,
      ...(ca.length > 0 ? { ca, allowPartialTrustChain: true } : {}),
      // The certificate is checked below, before anything is sent.
      rejectUnauthorized: false,
    });
    const fail = (error: Error): void => created(error, socket);
    socket.once("error", fail);
    socket.once("secureConnect", () => {
      // Certificates have the dates of the real world, whatever clock the control plane has.
      const nowMs = systemClock.now();
      const distrust = distrustOf(socket, { host: this.#host, pool: this.#pool, nowMs });
      if (distrust !== undefined) {
        socket.destroy(new Error(`tls: failed to verify certificate: ${distrust}`));
        return;
      }
      socket.off("error", fail);
      created(null, socket);
    });
    return undefined;
  }
}

/** The HTTP answer of a webhook. */
export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** The `Location` header of a redirect. */
  readonly location?: string;
}

type Outcome = WebhookAnswer | { readonly error: NodeJS.ErrnoException; readonly reused: boolean };

async function attempt(options: RequestOptions, body: Buffer | undefined): Promise<Outcome> {
  return new Promise((resolve) => {
    const send = options.protocol === "http:" ? httpRequest : httpsRequest;
    const request = send(options, (response) => {
      readAll(response).then(
        (bytes) => {
          const { statusCode = 0, headers } = response;
          resolve({
            status: statusCode,
            contentType: headers["content-type"] ?? "application/json",
            body: bytes,
            ...present({ location: headers.location }),
          });
        },
        (error: unknown) => {
          resolve({ error: error as NodeJS.ErrnoException, reused: false });
        },
      );
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      resolve({ error, reused: request.reusedSocket && error.code === "ECONNRESET" });
    });
    if (body) request.setHeader("content-length", body.length);
    request.end(body);
  });
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > ANSWER_MAX_BYTES) throw new Error("http: response body too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws WebhookCallError when the CA bundle is not PEM */
function certificatesOf(caBundle: string): X509Certificate[] {
  const unreadable = "unable to load root certificates: unable to parse bytes as PEM block";
  const pem = Buffer.from(caBundle, "base64").toString("utf8");
  let certificates: X509Certificate[];
  try {
    certificates = certificatesIn(pem);
  } catch (cause) {
    throw new WebhookCallError(unreadable, { cause });
  }
  if (certificates.length === 0) throw new WebhookCallError(unreadable);
  return certificates;
}

/** The URL to call; a Service has its own host name. */
function urlOf({ url, service }: WebhookTarget, timeoutSeconds: number): URL {
  const timeout = `timeout=${timeoutSeconds}s`;
  if (service) {
    const { namespace, name, path = "/", port = 443 } = service;
    const there = new URL(`https://${name}.${namespace}.svc:${port}`);
    there.pathname = cleanPath(path);
    there.search = timeout;
    return there;
  }
  const there = new URL(url ?? "");
  there.pathname = cleanPath(decodeURI(there.pathname).replaceAll(/%2f/gi, "/"));
  there.search = timeout;
  return there;
}

function addressIn(address: string): Address {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}

/** A path as client-go joins it: without double slashes, and without one at the end. */
function cleanPath(path: string): string {
  const joined = posix.join("/", path);
  return joined.length > 1 ? joined.replace(/\/$/, "") : joined;
}

function failedAt(shown: string): (why: string) => WebhookCallError {
  return (why) => new WebhookCallError(`Post ${quote(shown)}: ${why}`);
}

/** A URL as Go prints it: the port of a service is always there. */
function shownUrl(target: WebhookTarget, url: URL): string {
  const { service } = target;
  return service
    ? `${url.protocol}//${shownHost(target, url)}${url.pathname}${url.search}`
    : url.href;
}

const shownHost = ({ service }: WebhookTarget, { host, port }: URL): string =>
  service && port === "" ? `${host}:443` : host;

/** A network failure in Go's words. */
function goNetworkError(
  error: NodeJS.ErrnoException & { address?: string; port?: number },
): string {
  const { code = "", message } = error;
  if (code === "ECONNREFUSED") {
    return `dial tcp ${error.address ?? ""}:${error.port ?? 0}: connect: connection refused`;
  }
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || /wrong.version.number/.test(message)) {
    return "http: server gave HTTP response to HTTPS client";
  }
  if (code === "ENOTFOUND") return "dial tcp: lookup failed: no such host";
  if (code === "ECONNRESET") return "EOF";
  return message;
}
