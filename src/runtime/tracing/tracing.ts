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

/** The span kinds of `@opentelemetry/api`. */
const INTERNAL = 0;
const SERVER = 1;
const CLIENT = 2;
const ERROR = 2;

/** A span with its context: work that runs in it may have child spans. */
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

  /** Runs work in the context of the span. */
  run<T>(work: () => T): T {
    return this.#api.context.with(this.#context as never, work) as T;
  }

  /** The headers that pass the context to the server, such as `traceparent`. */
  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    this.#api.propagation.inject(this.#context as never, headers);
    return headers;
  }

  set(name: string, value: string | number): void {
    this.#span.setAttribute(name, value);
  }

  /** @param error - the reason; an error's message and stack go into the trace */
  fail(error: unknown): void {
    const now = this.#clock.now();
    if (error instanceof Error) this.#span.recordException(error, now);
    this.#span.setStatus({ code: ERROR, message: messageOf(error) });
  }

  /** Fails the span without a message: the text of an answer may be secret. */
  failSilently(): void {
    this.#span.setStatus({ code: ERROR });
  }

  /** Ends the span with the status of an answer. */
  answered(status: number): void {
    this.set("http.response.status_code", status);
    if (status >= 500) this.failSilently();
    this.end();
  }

  end(): void {
    this.#span.end(this.#clock.now());
  }
}

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

export class Tracing implements ReconcileObserver {
  readonly wantsOrigins = false;
  readonly #api: TracingApi;
  readonly #clock: Clock;

  constructor(api: TracingApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** The span of a reconcile; each has a trace of its own. */
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

  /** The span of a request by traced work; `undefined` for others, such as the caches'. */
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

  /** The span of a review for the API server, below the span that its headers name. */
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
    // Read each time, so that a provider that is registered later is used, too.
    const tracer = trace.getTracer("tsop");
    const startTime = this.#clock.now();
    const span = tracer.startSpan(name, { ...options, startTime }, parent as never);
    const context = trace.setSpan(parent as never, span as never);
    return new PlacedSpan(this.#api, this.#clock, span, context);
  }
}
