/**
 * Calls webhooks: a POST of JSON over TLS, with the failures worded as the API server words them.
 *
 * Used for admission and for conversion. Which objects are sent, and what an answer means, is theirs to know.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#contacting-the-webhook
 * @module
 */
import { X509Certificate } from "node:crypto";
import { Agent, request as httpsRequest } from "node:https";
import type { IncomingMessage, RequestOptions } from "node:http";
import type { Clock } from "../../clock.ts";
import { quote } from "../../kube/field-errors.ts";
import { encodeJson } from "../../kube/json.ts";
import type { KubeObject } from "../../kube/object.ts";
import { storeKey } from "../store/store.ts";
import { answerProblem } from "./webhook-answer.ts";

/** Where a webhook is, as configurations say it. */
export interface WebhookTarget {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM in base64; the system's authorities without it. */
  readonly caBundle?: string;
}

/** A call that brought no usable answer; the message says why, as Go would. */
export class WebhookCallError extends Error {
  override readonly name = "WebhookCallError";
}

/** What a caller needs to know of the cluster. */
export interface WebhookSurroundings {
  readonly store: { get(collection: string, key: string): KubeObject | undefined };
  readonly clock: Clock;
  /**
   * Addresses (`host:port`) of services by `namespace/name`, or `namespace/name:port` for one port: there is no
   * cluster network, so a service that is not named here cannot be reached.
   */
  readonly serviceAddresses?: Readonly<Record<string, string>>;
}

interface Destination {
  readonly url: URL;
  /** Where to connect, when it is not the URL's host. */
  readonly connectTo?: { readonly host: string; readonly port: number };
}

const ANSWER_MAX_BYTES = 3 * 1024 * 1024;

/** Calls webhooks, and keeps connections for the next call. */
export class WebhookCaller {
  readonly #surroundings: WebhookSurroundings;
  readonly #agents = new Map<string, Agent>();

  constructor(surroundings: WebhookSurroundings) {
    this.#surroundings = surroundings;
  }

  /**
   * Posts `body` and returns the bytes of a successful answer.
   *
   * @param timeoutSeconds - also told to the webhook, in the query
   * @throws WebhookCallError
   */
  async post(target: WebhookTarget, body: object, timeoutSeconds: number): Promise<Buffer> {
    const { url, connectTo } = this.#destination(target, timeoutSeconds);
    const failed = (why: string): WebhookCallError =>
      new WebhookCallError(`Post ${quote(shownUrl(target, url))}: ${why}`);
    if (target.service && connectTo === undefined) {
      throw failed(this.#whyUnreachable(target.service));
    }
    const options: RequestOptions = {
      method: "POST",
      path: `${url.pathname}${url.search}`,
      host: connectTo?.host ?? url.hostname,
      port: connectTo?.port ?? (url.port === "" ? 443 : url.port),
      headers: {
        host: shownHost(target, url),
        "content-type": "application/json",
        accept: "application/json, */*",
      },
    };
    const agent = this.#agentOf(target, url);
    const bytes = Buffer.from(encodeJson(body));
    const answer = await this.#send({ ...options, agent }, bytes, timeoutSeconds, failed);
    const problem = answerProblem(answer);
    if (problem !== undefined) throw new WebhookCallError(problem);
    return answer.body;
  }

  /** Closes the connections. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #destination({ url, service }: WebhookTarget, timeoutSeconds: number): Destination {
    const timeout = `timeout=${timeoutSeconds}s`;
    if (service) {
      const { namespace, name, path = "/", port = 443 } = service;
      const there = new URL(`https://${name}.${namespace}.svc:${port}`);
      there.pathname = path === "" ? "/" : path;
      there.search = timeout;
      const address = this.#addressOf(namespace, name, port);
      return address === undefined ? { url: there } : { url: there, connectTo: address };
    }
    const there = new URL(url ?? "");
    there.search = timeout;
    return { url: there };
  }

  #addressOf(namespace: string, name: string, port: number) {
    const addresses = this.#surroundings.serviceAddresses ?? {};
    const address = addresses[`${namespace}/${name}:${port}`] ?? addresses[`${namespace}/${name}`];
    if (address === undefined) return undefined;
    const colon = address.lastIndexOf(":");
    return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
  }

  /** Why a service that has no address of this process cannot be called. */
  #whyUnreachable({ namespace, name, port = 443 }: NonNullable<WebhookTarget["service"]>): string {
    const found = this.#surroundings.store.get("services", storeKey(namespace, name));
    if (!found) return `service ${quote(name)} not found`;
    const { spec } = found as KubeObject & {
      spec?: { clusterIP?: string; ports?: readonly { port: number }[] };
    };
    const address = spec?.clusterIP ?? "";
    if (address === "" || address === "None") {
      return `cannot route to service with ClusterIP ${quote(address)}`;
    }
    if (!spec?.ports?.some((one) => one.port === port)) {
      return `no service port ${port} found for service ${quote(name)}`;
    }
    return `dial tcp ${address}:${port}: connect: no route to host`;
  }

  #agentOf({ caBundle = "" }: WebhookTarget, url: URL): Agent {
    const key = `${url.host} ${caBundle}`;
    const known = this.#agents.get(key);
    if (known) return known;
    const agent = new Agent({
      keepAlive: true,
      servername: /^[\d.]+$|^\[/.test(url.hostname) ? "" : url.hostname,
      ...(caBundle === "" ? {} : { ca: certificatesOf(caBundle) }),
    });
    this.#agents.set(key, agent);
    return agent;
  }

  async #send(
    options: RequestOptions,
    body: Buffer,
    timeoutSeconds: number,
    failed: (why: string) => WebhookCallError,
  ): Promise<WebhookAnswer> {
    const gone = new AbortController();
    const timer = this.#surroundings.clock.after(timeoutSeconds * 1000, () => gone.abort());
    try {
      for (;;) {
        const outcome = await attempt({ ...options, signal: gone.signal }, body);
        if (!("error" in outcome)) return outcome;
        if (gone.signal.aborted) throw failed("context deadline exceeded");
        // The other side closed a connection that was kept; nobody has read the request.
        if (!outcome.reused) throw failed(goNetworkError(outcome.error));
      }
    } finally {
      timer.cancel();
    }
  }
}

/** What came back. */
export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

type Outcome = WebhookAnswer | { readonly error: NodeJS.ErrnoException; readonly reused: boolean };

async function attempt(options: RequestOptions, body: Buffer): Promise<Outcome> {
  return new Promise((resolve) => {
    const request = httpsRequest(options, (response) => {
      readAll(response).then(
        (bytes) => {
          const { statusCode = 0, headers } = response;
          resolve({ status: statusCode, contentType: headers["content-type"] ?? "", body: bytes });
        },
        (error: unknown) => {
          resolve({ error: error as NodeJS.ErrnoException, reused: false });
        },
      );
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      resolve({ error, reused: request.reusedSocket && error.code === "ECONNRESET" });
    });
    request.setHeader("content-length", body.length);
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

/** @throws WebhookCallError for what is no PEM */
function certificatesOf(caBundle: string): string {
  const pem = Buffer.from(caBundle, "base64").toString("utf8");
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new WebhookCallError(
      "unable to load root certificates: unable to parse bytes as PEM block",
      { cause },
    );
  }
  return pem;
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

const UNKNOWN_AUTHORITY = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
]);

/** A failure of the network in Go's words. */
function goNetworkError(
  error: NodeJS.ErrnoException & { address?: string; port?: number },
): string {
  const { code = "", message } = error;
  const certificate = "tls: failed to verify certificate: x509: ";
  if (UNKNOWN_AUTHORITY.has(code)) return `${certificate}certificate signed by unknown authority`;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return `${certificate}certificate has expired or is not yet valid`;
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `${certificate}${message}`;
  if (code === "ECONNREFUSED") {
    return `dial tcp ${error.address ?? ""}:${error.port ?? 0}: connect: connection refused`;
  }
  if (code === "ENOTFOUND") return "dial tcp: lookup failed: no such host";
  if (code === "ECONNRESET") return "EOF";
  return message;
}
