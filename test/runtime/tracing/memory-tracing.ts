/** A provider for `@opentelemetry/api` that keeps its spans, with the context and the header that an SDK would bring. */
import { AsyncLocalStorage } from "node:async_hooks";
import * as api from "@opentelemetry/api";

/** A span that was begun. */
export interface KeptSpan {
  readonly name: string;
  readonly kind: api.SpanKind;
  readonly traceId: string;
  readonly spanId: string;
  /** The span above it. */
  readonly parentId: string | undefined;
  readonly attributes: api.Attributes;
  readonly exceptions: string[];
  status: api.SpanStatus;
  ended: number;
}

class MemorySpan implements api.Span {
  readonly kept: KeptSpan;
  constructor(kept: KeptSpan) {
    this.kept = kept;
  }
  spanContext(): api.SpanContext {
    const { traceId, spanId } = this.kept;
    return { traceId, spanId, traceFlags: api.TraceFlags.SAMPLED };
  }
  setAttribute(key: string, value: api.AnyValue): this {
    this.kept.attributes[key] = value;
    return this;
  }
  setAttributes(attributes: api.Attributes): this {
    Object.assign(this.kept.attributes, attributes);
    return this;
  }
  addEvent(): this {
    return this;
  }
  addLink(): this {
    return this;
  }
  addLinks(): this {
    return this;
  }
  setStatus(status: api.SpanStatus): this {
    this.kept.status = status;
    return this;
  }
  updateName(): this {
    return this;
  }
  end(): void {
    this.kept.ended++;
  }
  isRecording(): boolean {
    return true;
  }
  recordException(exception: api.Exception): void {
    this.kept.exceptions.push(exception instanceof Error ? exception.message : "no error");
  }
}

class MemoryContexts implements api.ContextManager {
  readonly #storage = new AsyncLocalStorage<api.Context>();
  active(): api.Context {
    return this.#storage.getStore() ?? api.ROOT_CONTEXT;
  }
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: api.Context,
    work: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(context, () => work.apply(self, args));
  }
  bind<T>(_: api.Context, target: T): T {
    return target;
  }
  enable(): this {
    return this;
  }
  disable(): this {
    this.#storage.disable();
    return this;
  }
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;

const traceparent: api.TextMapPropagator = {
  inject(context, carrier, setter) {
    const span = api.trace.getSpanContext(context);
    if (span) setter.set(carrier, "traceparent", `00-${span.traceId}-${span.spanId}-01`);
  },
  extract(context, carrier, getter) {
    const [, traceId, spanId] = TRACEPARENT.exec(String(getter.get(carrier, "traceparent"))) ?? [];
    if (traceId === undefined || spanId === undefined) return context;
    return api.trace.setSpanContext(context, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
  fields: () => ["traceparent"],
};

/** Registers the provider, until `end`. */
export function registerMemoryTracing(): { readonly spans: KeptSpan[]; end(): void } {
  const spans: KeptSpan[] = [];
  const tracer: api.Tracer = {
    startSpan(name, { kind = api.SpanKind.INTERNAL, attributes = {} } = {}, context) {
      const parent = api.trace.getSpanContext(context ?? api.context.active());
      const id = (spans.length + 1).toString(16);
      const kept: KeptSpan = {
        name,
        kind,
        traceId: parent?.traceId ?? id.padStart(32, "0"),
        spanId: id.padStart(16, "0"),
        parentId: parent?.spanId,
        attributes: { ...attributes },
        exceptions: [],
        status: { code: api.SpanStatusCode.UNSET },
        ended: 0,
      };
      spans.push(kept);
      return new MemorySpan(kept);
    },
    startActiveSpan: () => {
      throw new Error("nobody asks for this");
    },
  };
  api.trace.setGlobalTracerProvider({ getTracer: () => tracer });
  api.context.setGlobalContextManager(new MemoryContexts());
  api.propagation.setGlobalPropagator(traceparent);
  return {
    spans,
    end() {
      api.trace.disable();
      api.context.disable();
      api.propagation.disable();
    },
  };
}
