/**
 * The part of `@opentelemetry/api` that tsop uses, as an interface that the package fits: users who
 * want traces pass the package in, and nobody else needs it.
 */

/** An open span. */
export interface TracingSpan {
  /** Sets an attribute. */
  setAttribute(key: string, value: string | number | boolean | string[]): unknown;
  /** Sets the status; code 2 means failed. */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Records an error with its stack. */
  recordException(exception: Error, time?: number): void;
  /** Ends the span. */
  end(endTime?: number): void;
}

/** The options of a new span. */
export interface TracingSpanOptions {
  kind?: number;
  attributes?: Record<string, string | number | boolean | string[]>;
  /** The start: wall time, in milliseconds. */
  startTime?: number;
}

/**
 * The part of `@opentelemetry/api` (1.9 or newer) that tsop uses; the package itself fits.
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
