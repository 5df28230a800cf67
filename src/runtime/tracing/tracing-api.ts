/**
 * The used part of `@opentelemetry/api`, as the shape that the package has: a user who wants traces
 * passes it in, and nobody else needs it.
 */

/** A span under way. */
export interface TracingSpan {
  /** Notes what is known of it. */
  setAttribute(key: string, value: string | number | boolean | string[]): unknown;
  /** Says whether it failed: code 2. */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Notes an error with its stack. */
  recordException(exception: Error, time?: number): void;
  /** Ends it. */
  end(endTime?: number): void;
}

/** How a span begins. */
export interface TracingSpanOptions {
  kind?: number;
  attributes?: Record<string, string | number | boolean | string[]>;
  /** Wall time, in milliseconds. */
  startTime?: number;
}

/**
 * The part of `@opentelemetry/api` (1.9 or newer) that tsop speaks to: the package itself is one.
 *
 * @example
 * import * as opentelemetry from "@opentelemetry/api";
 * const manager = createManager({ tracing: opentelemetry });
 */
export interface TracingApi {
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options?: TracingSpanOptions, context?: never): TracingSpan;
    };
    setSpan(context: never, span: never): unknown;
    getSpan(context: never): unknown;
  };
  readonly context: {
    active(): unknown;
    with(context: never, run: () => unknown): unknown;
  };
  readonly propagation: {
    inject(context: never, carrier: Record<string, string>): void;
    extract(context: never, carrier: Readonly<Record<string, unknown>>): unknown;
  };
}
