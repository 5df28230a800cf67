/**
 * The transport of production: HTTP/1.1 over TLS with connections that are kept.
 *
 * One agent stands for one set of certificates; when they are renewed a new agent takes over and the
 * old one's connections end with their requests.
 *
 * @module
 */
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { abortReason } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { Credentials } from "./credentials.ts";
import { incomingBody } from "./incoming-body.ts";
import {
  ConnectionError,
  type ConnectionFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "./transport.ts";

// The kernel asks a silent peer whether it is still there, as client-go's dialer does.
const TCP_KEEP_ALIVE_MS = 30_000;

const FAILURES: Readonly<Record<string, ConnectionFailure>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  EPIPE: "reset",
  ECONNABORTED: "reset",
  ETIMEDOUT: "timeout",
  EHOSTUNREACH: "timeout",
  ENETUNREACH: "timeout",
  ENOTFOUND: "unknown-host",
  EAI_AGAIN: "unknown-host",
};

/** Keeps connections to one API server. */
export class HttpsTransport implements Transport {
  readonly server: string;
  readonly #config: ClusterConfig;
  readonly #url: URL;
  readonly #userAgent: string;
  #agent: { readonly agent: HttpAgent | HttpsAgent; readonly identity: string } | undefined;

  constructor(config: ClusterConfig, userAgent: string) {
    this.server = config.server;
    this.#config = config;
    this.#url = new URL(config.server);
    this.#userAgent = userAgent;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    const credentials = await this.#config.credentials.get(request.signal);
    request.signal?.throwIfAborted();
    const response = await this.#exchange(request, credentials);
    if (response.status === 401) this.#config.credentials.invalidate();
    return response;
  }

  close(): void {
    this.#retire();
  }

  #exchange(request: TransportRequest, credentials: Credentials): Promise<TransportResponse> {
    const secure = this.#url.protocol === "https:";
    const base = this.#url.pathname.replace(/\/$/, "");
    return new Promise((resolve, reject) => {
      const { signal } = request;
      const outgoing = (secure ? httpsRequest : httpRequest)({
        agent: this.#agentFor(credentials),
        host: this.#url.hostname.replace(/^\[|\]$/g, ""),
        port: this.#url.port || (secure ? 443 : 80),
        method: request.method,
        path: base + request.path,
        headers: this.#headers(request, credentials),
      });
      const abort = (): void => {
        outgoing.destroy(abortReason(signal));
      };
      signal?.addEventListener("abort", abort, { once: true });
      outgoing.on("close", () => signal?.removeEventListener("abort", abort));
      outgoing.on("error", (error) => {
        reject(signal?.aborted ? abortReason(signal) : this.#failed(error, outgoing.reusedSocket));
      });
      outgoing.on("response", (incoming) => {
        resolve({
          status: incoming.statusCode ?? 0,
          headers: flatHeaders(incoming),
          body: incomingBody(incoming, (error) =>
            signal?.aborted ? abortReason(signal) : this.#failed(error, false),
          ),
          cancel: () => {
            incoming.destroy();
          },
        });
      });
      const { lastCheck } = request;
      if (!lastCheck) outgoing.end(request.body);
      else {
        whenConnected(outgoing, secure, () => {
          try {
            lastCheck();
            outgoing.end(request.body);
          } catch (error) {
            reject(error instanceof Error ? error : new Error(messageOf(error)));
            outgoing.destroy();
          }
        });
      }
    });
  }

  #headers(
    request: TransportRequest,
    { token, basic }: Credentials,
  ): Record<string, string | string[]> {
    const { impersonate } = this.#config;
    const login = basic && Buffer.from(`${basic.username}:${basic.password}`).toString("base64");
    return {
      "User-Agent": this.#userAgent,
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(login ? { Authorization: `Basic ${login}` } : {}),
      ...(impersonate ? { "Impersonate-User": impersonate.user } : {}),
      ...(impersonate?.groups ? { "Impersonate-Group": [...impersonate.groups] } : {}),
      ...(impersonate?.uid ? { "Impersonate-Uid": impersonate.uid } : {}),
      ...(request.body === undefined
        ? {}
        : { "Content-Length": String(Buffer.byteLength(request.body)) }),
      ...request.headers,
    };
  }

  #agentFor({ certificate }: Credentials): HttpAgent | HttpsAgent {
    const identity = certificate ? `${certificate.cert}\n${certificate.key}` : "";
    if (this.#agent?.identity === identity) return this.#agent.agent;
    this.#retire();
    const { ca, serverName, skipTlsVerify } = this.#config;
    const options = { keepAlive: true, keepAliveMsecs: TCP_KEEP_ALIVE_MS, noDelay: true };
    const agent =
      this.#url.protocol === "https:"
        ? new HttpsAgent({
            ...options,
            ...(ca ? { ca } : {}),
            ...(serverName ? { servername: serverName } : {}),
            ...(certificate ?? {}),
            rejectUnauthorized: skipTlsVerify !== true,
          })
        : new HttpAgent(options);
    // All of its connections are to one server, as one user: the name that Node makes of the certificates for each request
    // says nothing more.
    agent.getName = () => this.server;
    this.#agent = { agent, identity };
    return agent;
  }

  /** Closes the idle connections of the agent; `destroy` would cut the running watches too. */
  #retire(): void {
    const agent = this.#agent?.agent;
    this.#agent = undefined;
    if (!agent) return;
    agent.maxFreeSockets = 0;
    for (const idle of Object.values(agent.freeSockets)) {
      for (const socket of idle ?? []) socket.destroy();
    }
  }

  #failed(error: unknown, reusedConnection: boolean): ConnectionError {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    const failure = FAILURES[code] ?? (isTlsCode(code) ? "tls" : "other");
    return new ConnectionError(failure, this.server, messageOf(error) || code, {
      cause: error,
      reusedConnection,
    });
  }
}

/** Calls back once the request has a connection on which what is written leaves at once. */
function whenConnected(outgoing: ClientRequest, secure: boolean, connected: () => void): void {
  outgoing.once("socket", (socket) => {
    if (outgoing.reusedSocket) connected();
    else socket.once(secure ? "secureConnect" : "connect", connected);
  });
}

function isTlsCode(code: string): boolean {
  return /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_)|EPROTO/.test(code);
}

function flatHeaders(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}
