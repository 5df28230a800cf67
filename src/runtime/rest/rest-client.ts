/**
 * Speaks JSON with an API server: encodes, decodes, retries requests that are safe to retry, opens
 * watches.
 *
 * @see https://pkg.go.dev/k8s.io/client-go/rest#Request
 */
import type { Clock } from "../../clock.ts";
import type { KubeObject } from "../../kube/object.ts";
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type UpgradeAnswer,
  type UpgradedConnection,
} from "../transport/transport.ts";
import { noUpgrade } from "../transport/upgraded-connection.ts";
import { brokenAnswer, isFailure, statusErrorOf } from "./answers.ts";
import { stringifyExact } from "./json/exact-json.ts";
import { readItems, type ReadList } from "./json/list-items.ts";
import type { ManagedFieldsListener } from "./json/managed-fields.ts";
import { ObjectReader, utf8TextOf } from "./json/object-reader.ts";
import { RawAnswer } from "./raw-answer.ts";
import { parseWarnings, type WarningHandler } from "./warnings.ts";
import { type BookmarkMemory, watchEvents, type WatchStream } from "./watch-events.ts";
import { present } from "../../present.ts";

type QueryValue = string | number | boolean;

/** Parameters of the query; `undefined` is left out, a list repeats the parameter. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;

/** One request of the API. */
export interface RestRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path without its query: `/api/v1/namespaces`. */
  readonly path: string;
  readonly query?: Query;
  /** The body, sent as JSON; a text is sent as it is where the answer is `raw`. */
  readonly body?: unknown;
  /** The Content-Type of the body; JSON when absent. */
  readonly contentType?: string;
  readonly accept?: string;
  /** Headers in addition to those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Returns a failure's `Status` that came with code 200, instead of throwing it. */
  readonly takesFailures?: boolean;
  /** Returns the answer as a `RawAnswer`, whatever it is. */
  readonly raw?: boolean;
  /** Upgrades the connection to another protocol: what is sent over it may change something. */
  readonly upgrades?: boolean;
  /**
   * Gets each item of a list, as it arrives if there are no middlewares. An item may share parts
   * with others.
   */
  readonly onItem?: (item: unknown) => void;
  /**
   * Leaves out managedFields of a list's items, or a watch's objects, where that saves time; some
   * may still be there.
   */
  readonly withoutManagedFields?: boolean;
  /** Called for each of a list's items, or a watch's objects, that has managedFields. */
  readonly onManagedFields?: ManagedFieldsListener | undefined;
}

export interface WatchRequest extends Omit<RestRequest, "method" | "body"> {
  /** The last bookmarks of the watches before this one. */
  readonly bookmarks?: BookmarkMemory;
}

/** Called for each exchange; the metrics do so. */
export type ExchangeObserver = (
  method: string,
  /** The status code, or `<error>` when there was no answer. */
  code: string,
) => void;

const MAX_RETRIES = 10;
// The longest time that a request waits by itself; its caller knows better what to do meanwhile.
const MAX_RETRY_AFTER_SECONDS = 60;
// A year: larger numbers are not times.
const MAX_SECONDS = 31_536_000;
// client-go's wait before it repeats a GET whose connection broke.
const RETRY_AFTER_RESET_MS = 1000;

/** Sends a request on and returns the decoded answer. */
export type SendRequest = (request: RestRequest) => Promise<unknown>;

/**
 * Stands between a client and the server: may change requests and answers, refuse, or only observe.
 * Watches do not pass through it.
 */
export type ClientMiddleware = (request: RestRequest, next: SendRequest) => Promise<unknown>;

/** The options of a client beside its transport. */
export interface RestClientOptions {
  readonly observe?: ExchangeObserver;
  /** Gets the `Warning` headers of all answers. */
  readonly onWarning?: WarningHandler | undefined;
  /** The first one sees requests first and answers last. */
  readonly middlewares?: readonly ClientMiddleware[];
}

export class RestClient {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #observe: ExchangeObserver | undefined;
  readonly #onWarning: WarningHandler | undefined;
  readonly #perform: SendRequest;
  readonly #hasMiddlewares: boolean;

  constructor(
    transport: Transport,
    clock: Clock,
    { observe, onWarning, middlewares = [] }: RestClientOptions = {},
  ) {
    this.#transport = transport;
    this.#clock = clock;
    this.#observe = observe;
    this.#onWarning = onWarning;
    this.#hasMiddlewares = middlewares.length > 0;
    this.#perform = middlewares.reduceRight<SendRequest>(
      (next, middleware) => (request) => middleware(request, next),
      (request) => this.#roundTrip(request),
    );
  }

  get server(): string {
    return this.#transport.server;
  }

  get clock(): Clock {
    return this.#clock;
  }

  /**
   * Sends a request and returns the decoded answer.
   *
   * @throws StatusError when the server refuses
   * @throws ConnectionError when there is no answer
   */
  async request(request: RestRequest): Promise<unknown> {
    const answer = await this.#perform(request);
    // Not earlier: a middleware may change an item, and would change others through shared parts.
    if (this.#hasMiddlewares && request.onItem) itemsOf(answer).forEach(request.onItem);
    return answer;
  }

  async #roundTrip(request: RestRequest): Promise<unknown> {
    if (request.upgrades) return this.#upgrade(request);
    const response = await this.#send(request);
    if (request.raw) return rawAnswer(response);
    const reader = new ObjectReader(request.withoutManagedFields ?? false, request.onManagedFields);
    const onItem = this.#hasMiddlewares ? undefined : request.onItem;
    const { items, rest } = request.onItem
      ? await readItems(response.body, reader, onItem)
      : await readWhole(response);
    let answer: unknown;
    try {
      answer = reader.value(rest, itemsOf);
    } catch {
      // Without the body, which may be a Secret; the parser's error quotes it.
      const type = response.headers["content-type"] ?? "an unnamed type";
      throw brokenAnswer(
        `${request.method} ${request.path} was answered with ${response.status} and ${rest.length} bytes of ${type.slice(0, 100)} that are not JSON`,
      );
    }
    if (isFailure(answer) && !request.takesFailures)
      throw statusErrorOf(answer.code, utf8TextOf(rest));
    if (onItem) itemsOf(answer).forEach(onItem);
    return items.length === 0
      ? answer
      : { ...(answer as object), items: [...items, ...itemsOf(answer)] };
  }

  /**
   * Sends a GET and returns the answer's body as a stream.
   *
   * @throws StatusError, ConnectionError like `request`
   */
  stream(
    request: Pick<RestRequest, "path" | "query" | "signal">,
    mayPause: boolean,
  ): Promise<TransportResponse> {
    return this.#send({ ...request, accept: "*/*", method: "GET" }, mayPause);
  }

  /**
   * Opens a watch; the promise resolves when the head of the answer arrives.
   *
   * @throws StatusError, ConnectionError like `request`
   */
  async watch<T extends KubeObject>(request: WatchRequest): Promise<WatchStream<T>> {
    const { withoutManagedFields = false, onManagedFields, bookmarks, ...rest } = request;
    const response = await this.#send({ ...rest, method: "GET" }, true);
    const { signal } = request;
    return watchEvents(response, { withoutManagedFields, onManagedFields, bookmarks, signal });
  }

  /** The successful answer, after as many tries as allowed. */
  async #send(request: RestRequest, mayPause = false): Promise<TransportResponse> {
    const exchange = { ...encode(request), mayPause };
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#exchange(exchange);
      const waitMs = retryDelayMs(request.method, outcome, this.#clock.now());
      if (waitMs === undefined || attempt >= MAX_RETRIES) return settle(outcome, this.#clock.now());
      if (!(outcome instanceof ConnectionError)) outcome.cancel();
      if (waitMs > 0) await this.#clock.sleep(waitMs, request.signal);
    }
  }

  async #exchange(exchange: TransportRequest): Promise<TransportResponse | ConnectionError> {
    try {
      const response = await this.#transport.request(exchange);
      this.#observe?.(exchange.method, String(response.status));
      this.#tellWarnings(exchange, response);
      return response;
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#observe?.(exchange.method, "<error>");
      return error;
    }
  }

  /** The connection after its upgrade to another protocol. */
  async #upgrade(request: RestRequest): Promise<UpgradedConnection> {
    const exchange = encode(request);
    if (!this.#transport.upgrade) throw noUpgrade(this.server);
    let answer: UpgradeAnswer;
    try {
      answer = await this.#transport.upgrade(exchange);
    } catch (error) {
      if (error instanceof ConnectionError) this.#observe?.(exchange.method, "<error>");
      throw error;
    }
    this.#observe?.(exchange.method, String("status" in answer ? answer.status : 101));
    this.#tellWarnings(exchange, answer);
    if (!("status" in answer)) return answer;
    const { status, headers, text } = answer;
    const { "content-type": contentType, location } = headers;
    throw statusErrorOf(status, text, { contentType, location });
  }

  #tellWarnings(
    { method, path }: TransportRequest,
    { headers }: Pick<TransportResponse, "headers">,
  ): void {
    const { warning } = headers;
    if (warning === undefined || !this.#onWarning) return;
    const [pathname = ""] = path.split("?");
    for (const parsed of parseWarnings(warning)) {
      this.#onWarning({ ...parsed, method, path: pathname });
    }
  }
}

/** The wait before another try, in milliseconds; `undefined` when there is none. */
function retryDelayMs(
  method: string,
  outcome: TransportResponse | ConnectionError,
  nowMs: number,
): number | undefined {
  if (outcome instanceof ConnectionError) {
    // A request that may write may have been carried out although no answer came.
    if (method !== "GET" || outcome.failure !== "reset") return undefined;
    return outcome.reusedConnection ? 0 : RETRY_AFTER_RESET_MS;
  }
  if (outcome.status !== 429 && outcome.status < 500) return undefined;
  const seconds = retryAfterSeconds(outcome, nowMs);
  if (seconds === undefined || seconds > MAX_RETRY_AFTER_SECONDS) return undefined;
  return seconds * 1000;
}

/** The header in both of its forms: API servers send seconds, proxies before them also dates. */
function retryAfterSeconds({ headers }: TransportResponse, nowMs: number): number | undefined {
  const value = headers["retry-after"] ?? "";
  if (/^\d+$/.test(value)) return Math.min(Number(value), MAX_SECONDS);
  // Date.parse also takes numbers such as -5 for dates.
  const atMs = /GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1000));
}

async function settle(
  outcome: TransportResponse | ConnectionError,
  nowMs: number,
): Promise<TransportResponse> {
  if (outcome instanceof ConnectionError) throw outcome;
  if (outcome.status >= 200 && outcome.status < 300) return outcome;
  throw statusErrorOf(outcome.status, await readText(outcome), {
    contentType: outcome.headers["content-type"],
    location: outcome.headers["location"],
    retryAfterSeconds: retryAfterSeconds(outcome, nowMs),
  });
}

function encode(request: RestRequest): TransportRequest {
  const body = encodeBody(request);
  return {
    method: request.method,
    path: request.path + encodeQuery(request.query ?? {}),
    headers: {
      // A kubelet answers 406 to an upgrade that accepts only JSON.
      Accept: request.accept ?? (request.upgrades ? "*/*" : "application/json"),
      ...(body === undefined ? {} : { "Content-Type": request.contentType ?? "application/json" }),
      ...request.headers,
    },
    ...present({ body }),
    signal: request.signal,
  };
}

function encodeBody({ body, raw }: RestRequest): string | undefined {
  if (body === undefined) return undefined;
  return raw && typeof body === "string" ? body : stringifyExact(body);
}

const UNRESERVED = /^[\w.~-]*$/;

function escaped(text: string): string {
  return UNRESERVED.test(text) ? text : encodeURIComponent(text);
}

/** `?name=value&...`, escaped; empty without parameters. */
function encodeQuery(query: Query): string {
  let text = "";
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of typeof value === "object" ? value : [value]) {
      text += `${text === "" ? "?" : "&"}${escaped(name)}=${escaped(String(one))}`;
    }
  }
  return text;
}

async function readText(response: TransportResponse): Promise<string> {
  return (await readBytes(response)).toString("utf8");
}

async function rawAnswer(response: TransportResponse): Promise<RawAnswer> {
  const { status, headers } = response;
  return new RawAnswer(status, headers, await readBytes(response));
}

async function readWhole(response: TransportResponse): Promise<ReadList> {
  return { items: [], rest: await readBytes(response) };
}

async function readBytes({ body }: TransportResponse): Promise<Buffer> {
  if (body.whole) return body.whole();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}

/** The items of a list; none when the answer is not a list. */
function itemsOf(answer: unknown): readonly unknown[] {
  const { items } = (answer ?? {}) as { items?: unknown };
  return Array.isArray(items) ? items : [];
}
