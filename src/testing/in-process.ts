/**
 * The transport to a control plane of this process without a socket: requests and watch events move
 * by promises only.
 */
import { abortReason, type Clock } from "../clock.ts";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { DirectAnswer, DirectExchange } from "../controlplane/server/http/direct-server.ts";
import { messageOf } from "../errors.ts";
import type { ClusterConfig, Impersonation } from "../runtime/transport/cluster-config.ts";
import {
  fixedCredentials,
  type CredentialSource,
} from "../runtime/transport/credentials/credentials.ts";
import { escapeHeaderName, headerLine, isHeaderName } from "../runtime/header.ts";
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../runtime/transport/transport.ts";
import { PiecesBody, wholeBody } from "./in-process-body.ts";
import { present } from "../present.ts";

/** The user of a transport. */
export interface InProcessOptions {
  /** The user of the client certificate: an administrator when absent. */
  readonly user?: string;
  /** The user's groups. When absent: `system:masters` for the administrator, none for others. */
  readonly groups?: readonly string[];
  /** The user agent; `tsop` when absent. */
  readonly userAgent?: string;
}

const ADMIN = { user: "admin", groups: ["system:masters"] };
/** The name of the server in messages and metrics. */
const SERVER = "https://in-process";
/** The characters of a request's target: no spaces, no line breaks, no raw UTF-8. */
const REQUEST_TARGET = /^[\u0021-\u007e]+$/;

/**
 * A transport to a control plane of this process, for `createManager({ transport })`: the same authentication, rights,
 * headers and watches as over HTTPS, and no socket. A manager or client that is given no clock takes the control plane's:
 * with a `VirtualClock` there is no other time.
 *
 * @example
 * const clock = new VirtualClock();
 * await using cluster = await startControlPlane({ clock, listen: false });
 * const manager = createManager({ transport: inProcess(cluster, { user: "jane" }) });
 */
export function inProcess(controlPlane: ControlPlane, options: InProcessOptions = {}): Transport {
  const { user, groups, userAgent = "tsop" } = options;
  const certificate =
    user === undefined
      ? { ...ADMIN, ...(groups ? { groups } : {}) }
      : { user, groups: groups ?? [] };
  return new InProcessTransport({ controlPlane, certificate, userAgent });
}

/** The access of a user to a control plane of this process: for `createManager({ config })` and `createClient`. */
export function inProcessConfig(
  controlPlane: ControlPlane,
  { user, groups = [] }: { readonly user: string; readonly groups?: readonly string[] } = ADMIN,
): ClusterConfig {
  const own = fixedCredentials({});
  return {
    server: SERVER,
    namespace: "default",
    credentials: own,
    connect: ({ credentials, impersonate }, userAgent) =>
      new InProcessTransport({
        controlPlane,
        // A user with other credentials, such as a token, has no certificate.
        ...(credentials === own ? { certificate: { user, groups } } : { credentials }),
        userAgent,
        impersonate,
      }),
  };
}

interface InProcessParts {
  readonly controlPlane: ControlPlane;
  readonly certificate?: { readonly user: string; readonly groups: readonly string[] };
  readonly userAgent: string;
  readonly credentials?: CredentialSource;
  readonly impersonate?: Impersonation | undefined;
}

class InProcessTransport implements Transport {
  readonly server = SERVER;
  readonly #parts: InProcessParts;
  readonly #streams = new Set<PiecesBody>();
  #underWay = 0;

  constructor(parts: InProcessParts) {
    this.#parts = parts;
  }

  get clock(): Clock {
    return this.#parts.controlPlane.clock;
  }

  get isQuiet(): boolean {
    return this.#underWay === 0 && [...this.#streams].every((stream) => stream.isRead);
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, body, signal, lastCheck } = request;
    signal?.throwIfAborted();
    const { controlPlane, certificate, credentials } = this.#parts;
    const headers = this.#headersOf(request, credentials ? await authorizationOf(credentials) : {});
    if (!REQUEST_TARGET.test(path) || !isHeaderName(method)) {
      throw new TypeError(
        `${method} ${path} is not a valid requestbecause it contains unescaped characters.`,
      );
    }
    signal?.throwIfAborted();
    lastCheck?.();
    const exchange = controlPlane.request({
      method,
      target: path,
      headers,
      ...(certificate ? { certificate } : {}),
      ...present({ body }),
    });
    const response = await this.#respond(exchange, signal);
    if (response.status === 401) credentials?.invalidate();
    return response;
  }

  close(): void {
    // There is no connection that could stay open.
  }

  async #respond(
    exchange: DirectExchange,
    signal: AbortSignal | undefined,
  ): Promise<TransportResponse> {
    let body: PiecesBody | undefined;
    const abort = (): void => {
      if (body) {
        this.#streams.delete(body);
        body.fail(abortReason(signal));
      }
      exchange.cut();
    };
    const over = (): void => {
      signal?.removeEventListener("abort", abort);
      exchange.leave();
    };
    signal?.addEventListener("abort", abort, { once: true });
    this.#underWay++;
    try {
      const answer = await exchange.answer;
      signal?.throwIfAborted();
      if (typeof answer.body === "function") {
        const response = this.#streamed(answer, answer.body, over);
        body = response.body;
        return response;
      }
      over();
      return { ...answer, body: wholeBody(answer.body), cancel: () => undefined };
    } catch (error) {
      over();
      throw signal?.aborted ? abortReason(signal) : this.#broken(error);
    } finally {
      this.#underWay--;
    }
  }

  #streamed(
    { status, headers }: DirectAnswer,
    write: Exclude<DirectAnswer["body"], string | Uint8Array>,
    over: () => void,
  ): TransportResponse & { readonly body: PiecesBody } {
    const cancel = (): void => {
      this.#streams.delete(body);
      body.giveUp(() => this.#broken(new Error("the reader gave up")));
      over();
    };
    const body = new PiecesBody(cancel);
    this.#streams.add(body);
    write((piece) => {
      body.push(piece);
    }).then(
      () => {
        body.end();
        over();
      },
      (error: unknown) => {
        body.fail(this.#broken(error));
        over();
      },
    );
    return { status, headers, body, cancel };
  }

  #headersOf(
    { headers = {}, body }: TransportRequest,
    authorization: Readonly<Record<string, string>>,
  ): Record<string, string> {
    const { userAgent, impersonate } = this.#parts;
    const all: Record<string, string> = {
      "user-agent": userAgent,
      host: "in-process",
      ...authorization,
    };
    if (impersonate) Object.assign(all, impersonationOf(impersonate));
    for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value;
    if (body !== undefined) all["content-length"] = String(Buffer.byteLength(body));
    // Throws for a header that could not be sent.
    for (const [name, value] of Object.entries(all)) headerLine(name, value);
    return all;
  }

  #broken(error: unknown): ConnectionError {
    return new ConnectionError("reset", SERVER, messageOf(error), { cause: error });
  }
}

async function authorizationOf(credentials: CredentialSource): Promise<Record<string, string>> {
  const { token, basic } = await credentials.get();
  if (token) return { authorization: `Bearer ${token}` };
  if (!basic) return {};
  const login = Buffer.from(`${basic.username}:${basic.password}`).toString("base64");
  return { authorization: `Basic ${login}` };
}

/** Several values of one header arrive joined at the server. */
function impersonationOf(impersonate: Impersonation): Record<string, string> {
  const { user, uid, groups = [], extra = {} } = impersonate;
  return {
    "impersonate-user": user,
    ...present({ "impersonate-uid": uid }),
    ...(groups.length === 0 ? {} : { "impersonate-group": groups.join(", ") }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `impersonate-extra-${escapeHeaderName(key).toLowerCase()}`,
        values.join(", "),
      ]),
    ),
  };
}
