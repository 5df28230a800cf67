/**
 * Spans of reconciles, of the requests that they make, and of reviews.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type {
  ObservedReconcile,
  ObservedStart,
  ReconcileObserver,
} from "../controller/reconcile-observer.ts";
import type { TransportRequest } from "../transport/transport.ts";
import { templateOf } from "./path-template.ts";
import type { TracingApi, TracingSpan } from "./tracing-api.ts";
import { present } from "../../present.ts";

/** As `@opentelemetry/api` numbers them. */
const INTERNAL = 0;
const SERVER = 1;
const CLIENT = 2;
const ERROR = 2;

/** A span with its place: what runs in it may have spans below. */
export class PlacedSpan {
  readonly #api: TracingApi;
  readonly #clock: Clock;
  readonly #span: TracingSpan;
  readonly #context: unknown;

  constructor(api: TracingApi, clock: Clock, span: TracingSpan, context: unknown) {
    this.#api = api;
    this.#clock = clock;
    this.#span = span;
    this.#context = context;
  }

  /** Runs something below it. */
  run<T>(work: () => T): T {
    return this.#api.context.with(this.#context as never, work) as T;
  }

  /** The headers that tell the server of it, such as `traceparent`. */
  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    this.#api.propagation.inject(this.#context as never, headers);
    return headers;
  }

  set(name: string, value: string | number): void {
    this.#span.setAttribute(name, value);
  }

  /** @param error - why it failed; an error's message and stack go into the trace */
  fail(error: unknown): void {
    const now = this.#clock.now();
    if (error instanceof Error) this.#span.recordException(error, now);
    this.#span.setStatus({ code: ERROR, message: messageOf(error) });
  }

  /** Without a word: what an answer says may be secret. */
  failSilently(): void {
    this.#span.setStatus({ code: ERROR });
  }

  /** Ends it as the answer to somebody. */
  answered(status: number): void {
    this.set("http.response.status_code", status);
    if (status >= 500) this.failSilently();
    this.end();
  }

  end(): void {
    this.#span.end(this.#clock.now());
  }
}

/** The span of a reconcile. */
class ReconcileSpan implements ObservedReconcile {
  readonly #span: PlacedSpan;

  constructor(span: PlacedSpan) {
    this.#span = span;
  }

  run<T>(work: () => T): T {
    return this.#span.run(work);
  }

  succeeded(requeueAfterMs: number | undefined): void {
    this.#span.set("tsop.outcome", requeueAfterMs === undefined ? "success" : "requeue_after");
  }

  failed(error: unknown): void {
    this.#span.set("tsop.outcome", "error");
    this.#span.fail(error);
  }

  end(): void {
    this.#span.end();
  }
}

/** Begins spans. */
export class Tracing implements ReconcileObserver {
  readonly wantsOrigins = false;
  readonly #api: TracingApi;
  readonly #clock: Clock;

  constructor(api: TracingApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Of a reconcile; each has a trace of its own. */
  reconcile({ controller, kind, key, id, causes, failures }: ObservedStart): ObservedReconcile {
    const span = this.#begin(
      `reconcile ${controller}`,
      {
        kind: INTERNAL,
        attributes: {
          "tsop.controller": controller,
          ...present({ "tsop.kind": kind }),
          "tsop.key": key,
          "tsop.reconcile_id": id,
          "tsop.causes": [...causes],
          "tsop.failures": failures,
        },
      },
      this.#api.context.active(),
    );
    return new ReconcileSpan(span);
  }

  /** Of a request that something with a span makes; `undefined` for others, such as those of the caches. */
  request({ method, path }: TransportRequest, server: string): PlacedSpan | undefined {
    const active = this.#api.context.active();
    if (this.#api.trace.getSpan(active as never) === undefined) return undefined;
    const { hostname, port, protocol } = new URL(server);
    const template = templateOf(path);
    return this.#begin(
      `${method} ${template}`,
      {
        kind: CLIENT,
        attributes: {
          "http.request.method": method,
          "url.template": template,
          "server.address": hostname,
          "server.port": Number(port) || (protocol === "http:" ? 80 : 443),
        },
      },
      active,
    );
  }

  /** Of a review that the API server asks for, below the span that its headers name. */
  review(path: string, headers: Readonly<Record<string, unknown>>): PlacedSpan {
    const parent = this.#api.propagation.extract(this.#api.context.active() as never, headers);
    const attributes = { "http.request.method": "POST", "http.route": path };
    return this.#begin(`POST ${path}`, { kind: SERVER, attributes }, parent);
  }

  #begin(
    name: string,
    options: { kind: number; attributes: Record<string, string | number | string[]> },
    parent: unknown,
  ): PlacedSpan {
    const { trace } = this.#api;
    // Asked for each time: whoever registers a provider later is found, too.
    const tracer = trace.getTracer("tsop");
    const startTime = this.#clock.now();
    const span = tracer.startSpan(name, { ...options, startTime }, parent as never);
    const context = trace.setSpan(parent as never, span as never);
    return new PlacedSpan(this.#api, this.#clock, span, context);
  }
}
