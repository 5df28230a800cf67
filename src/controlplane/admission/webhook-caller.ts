/**
 * Calls webhooks: a POST of JSON over TLS, with the failures worded as the API server words them.
 *
 * Used for admission and for conversion, which make the objects and read the answers.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#contacting-the-webhook
 */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { type Agent, request as httpsRequest } from "node:https";
import { posix } from "node:path";
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import { quote } from "../../kube/field-errors.ts";
import { encodeJson } from "../../kube/json.ts";
import type { WebhookTarget } from "../../kube/webhooks/webhook-address.ts";
import { present } from "../../present.ts";
import type { ObjectSource } from "../resource-name.ts";
import { type ServiceAddress, type ServiceRoutes, whyUnreachable } from "./service-routes.ts";
import type { WebhookCredentials, WebhookUsers } from "./webhook-credentials.ts";
import { GoTrustAgent, certificatesOf } from "./webhook-certificate.ts";
import {
  type WebhookAnswer,
  WebhookCallError,
  answerProblem,
  networkProblem,
} from "./webhook-failures.ts";

/** The parts of the cluster that a caller needs. */
interface WebhookSurroundings {
  readonly store: Pick<ObjectSource, "get">;
  readonly clock: Clock;
  /** The addresses of Services; one that is not in them cannot be reached. */
  readonly routes: ServiceRoutes;
  /** False: no request is sent, and every call fails. Default true. */
  readonly callsWebhooks?: boolean;
  /** The credentials for webhooks. */
  readonly users?: WebhookUsers;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** One request to a webhook. */
interface Exchange {
  readonly method: "GET" | "POST";
  readonly url: URL;
  /** The URL in messages. */
  readonly shown: string;
  /** The address to connect to, when it is not the URL's host. */
  readonly connectTo?: Address;
  /** The `Host` header. */
  readonly host: string;
  readonly body?: Buffer;
  readonly referer?: string;
  readonly credentials: WebhookCredentials;
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
   * @param withCredentials - whether the webhook is one of admission
   * @throws WebhookCallError
   */
  async post(
    target: WebhookTarget,
    body: object,
    timeoutSeconds: number,
    withCredentials = false,
  ): Promise<Buffer> {
    const { clock, callsWebhooks = true } = this.#surroundings;
    if (!callsWebhooks) throw new WebhookCallError("this control plane does not call webhooks");
    const endsAtMs = clock.monotonicMs() + timeoutSeconds * 1000;
    const url = urlOf(target, timeoutSeconds);
    // Go prints the port of a Service always.
    const host = target.service && url.port === "" ? `${url.host}:443` : url.host;
    const shown = target.service ? `https://${host}${url.pathname}${url.search}` : url.href;
    const connectTo = await this.#addressOf(target, timeoutSeconds, failedAt(shown));
    const answer = await this.#follow(
      target,
      {
        method: "POST",
        url,
        shown,
        ...present({ connectTo }),
        host,
        body: Buffer.from(encodeJson(body)),
        credentials: (withCredentials && this.#surroundings.users?.of(host)) || {},
      },
      endsAtMs,
    );
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

  async #ask(
    target: WebhookTarget,
    { method, url, shown, connectTo, host, body, referer, credentials }: Exchange,
    endsAtMs: number,
  ): Promise<WebhookAnswer> {
    const { clock } = this.#surroundings;
    const isSecure = url.protocol === "https:";
    const gone = new AbortController();
    const options: RequestOptions = {
      method,
      path: `${url.pathname}${url.search}`,
      protocol: url.protocol,
      host: connectTo?.host ?? hostOf(url),
      port: connectTo?.port ?? (url.port === "" ? (isSecure ? 443 : 80) : url.port),
      headers: {
        host,
        ...(body ? { "content-type": "application/json" } : {}),
        accept: "application/json, */*",
        ...present({ referer, authorization: credentials.authorization }),
      },
      ...(isSecure ? { agent: this.#agentOf(target, url, credentials) } : {}),
      signal: gone.signal,
    };
    const timer = clock.after(endsAtMs - clock.monotonicMs(), () => gone.abort());
    const failed = failedAt(shown);
    try {
      for (;;) {
        const outcome = await attempt(options, body);
        if (!("error" in outcome)) return outcome;
        if (gone.signal.aborted) throw failed("context deadline exceeded");
        // The server closed a kept connection without reading the request.
        if (!outcome.reused) throw failed(networkProblem(outcome.error));
      }
    } finally {
      timer.cancel();
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  /**
   * The address of a Service, `undefined` for a URL; waits for a promised one.
   *
   * @throws WebhookCallError when the Service has no address on this machine
   */
  async #addressOf(
    { service }: WebhookTarget,
    timeoutSeconds: number,
    failed: (why: string) => WebhookCallError,
  ): Promise<Address | undefined> {
    if (!service) return undefined;
    const { routes, clock, store } = this.#surroundings;
    let found: ServiceAddress | undefined;
    try {
      found = routes.find(store, service);
    } catch (error) {
      throw failed(messageOf(error));
    }
    if (found === undefined) throw failed(whyUnreachable(store, service));
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

  #agentOf(
    { caBundle = "" }: WebhookTarget,
    url: URL,
    { cert, key: privateKey }: WebhookCredentials,
  ): Agent {
    const key = `${url.host} ${caBundle} ${cert ?? ""}`;
    const known = this.#agents.get(key);
    if (known) return known;
    const agent = new GoTrustAgent(hostOf(url), caBundle === "" ? [] : certificatesOf(caBundle), {
      keepAlive: true,
      ...present({ cert, key: privateKey }),
      servername: /^[\d.]+$|^\[/.test(url.hostname) ? "" : url.hostname,
    });
    this.#agents.set(key, agent);
    return agent;
  }
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

/** The URL to call; a Service has its own host name. */
function urlOf({ url = "", service }: WebhookTarget, timeoutSeconds: number): URL {
  const { namespace = "", name = "", path = "/", port = 443 } = service ?? {};
  const there = new URL(service ? `https://${name}.${namespace}.svc:${port}` : url);
  there.pathname = cleanPath(service ? path : decodeURI(there.pathname).replaceAll(/%2f/gi, "/"));
  there.search = `timeout=${timeoutSeconds}s`;
  return there;
}

/** The name or address of a server, which has brackets in a URL if it is one of IPv6. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

function addressIn(address: string): Address {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}

/** A path as client-go joins it: without double slashes, and without one at the end. */
function cleanPath(path: string): string {
  const joined = posix.join("/", path);
  return joined.length > 1 ? joined.replace(/\/$/, "") : joined;
}

const failedAt =
  (shown: string) =>
  (why: string): WebhookCallError =>
    new WebhookCallError(`Post ${quote(shown)}: ${why}`);

/** The redirects that keep the method and the body; the others become a GET. */
const KEEP_METHOD = new Set([307, 308]);
const REDIRECTS = new Set([301, 302, 303, ...KEEP_METHOD]);

/**
 * The request that a redirect asks for, as Go's client follows it; `undefined` when the answer is
 * not a redirect, or has no location.
 */
function redirected(
  { method, url, body, credentials }: Exchange,
  { status, location }: WebhookAnswer,
): Exchange | undefined {
  if (!REDIRECTS.has(status) || !location || !URL.canParse(location, url.href)) return undefined;
  const next = new URL(location, url);
  if (next.protocol !== "https:" && next.protocol !== "http:") return undefined;
  const isKept = KEEP_METHOD.has(status);
  // A server without TLS gets no `Referer` with a URL that was called over TLS.
  const isTold = url.protocol === "http:" || next.protocol === "https:";
  return {
    method: isKept ? method : "GET",
    url: next,
    shown: next.href,
    host: next.host,
    ...(isKept && body ? { body } : {}),
    // As Go's client: its transport has the certificate, whatever the host.
    credentials,
    ...(isTold ? { referer: url.href } : {}),
  };
}
