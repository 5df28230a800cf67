/**
 * Keeps events from flooding the API server: a repeated event is counted, many similar ones become
 * one, and an object with too many gets no more for a while. The rules and numbers are client-go's.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.36.3/tools/record/events_cache.go
 */
import type { Clock } from "../../clock.ts";
import type { ManifestObject } from "../../kube/object.ts";
import { LruMap } from "../lru.ts";
import { present } from "../../present.ts";

export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
}

export interface CoreEvent extends ManifestObject {
  involvedObject: ObjectReference;
  source: { component?: string; host?: string };
  type: string;
  reason: string;
  message: string;
  count: number;
  firstTimestamp: string;
  lastTimestamp: string;
  reportingComponent?: string;
  reportingInstance?: string;
  action?: string;
  related?: ObjectReference;
}

/** The event to send: as a whole, or as these fields of the one that was sent before. */
export interface CorrelatedEvent {
  readonly event: CoreEvent;
  readonly patch?: Pick<CoreEvent, "count" | "lastTimestamp" | "message">;
}

interface Log {
  readonly count: number;
  readonly firstTimestamp: string;
  readonly name: string | undefined;
}

interface Aggregate {
  readonly messages: Set<string>;
  lastMs: number;
}

const CACHE_SIZE = 4096;
const MAX_DISTINCT_MESSAGES = 10;
const AGGREGATE_FOR_MS = 600_000;
const SPAM_BURST = 25;
const SPAM_QPS = 1 / 300;

export class EventCorrelator {
  readonly #clock: Clock;
  readonly #aggregates = new LruMap<Aggregate>(CACHE_SIZE);
  readonly #logs = new LruMap<Log>(CACHE_SIZE);
  readonly #budgets = new LruMap<TokenBucket>(CACHE_SIZE);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The content to send for a new event; `undefined` when the object has had too many. */
  correlate(event: CoreEvent): CorrelatedEvent | undefined {
    const { event: aggregated, key } = this.#aggregate(event);
    const observed = this.#observe(aggregated, key);
    return this.#withinBudget(observed.event) ? observed : undefined;
  }

  /** Notes the event as it is stored now. */
  sent(event: CoreEvent): void {
    this.#remember(eventKey(event), event);
  }

  /** Ten messages of one reason within ten minutes become one event from then on. */
  #aggregate(event: CoreEvent): { event: CoreEvent; key: string } {
    const nowMs = this.#clock.now();
    const key = aggregateKey(event);
    let aggregate = this.#aggregates.get(key);
    if (!aggregate || nowMs - aggregate.lastMs > AGGREGATE_FOR_MS) {
      aggregate = { messages: new Set(), lastMs: nowMs };
    }
    aggregate.messages.add(event.message);
    aggregate.lastMs = nowMs;
    this.#aggregates.set(key, aggregate);
    if (aggregate.messages.size < MAX_DISTINCT_MESSAGES) return { event, key: eventKey(event) };
    const [oldest] = aggregate.messages;
    if (oldest !== undefined) aggregate.messages.delete(oldest);
    const message = `(combined from similar events): ${event.message}`;
    return { event: { ...event, message, count: 1 }, key };
  }

  #observe(event: CoreEvent, key: string): CorrelatedEvent {
    const last = this.#logs.get(key);
    if (!last) {
      this.#remember(key, event);
      return { event };
    }
    const counted: CoreEvent = {
      ...event,
      metadata: { ...event.metadata, ...present({ name: last.name }) },
      firstTimestamp: last.firstTimestamp,
      count: last.count + 1,
    };
    this.#remember(key, counted);
    const { count, lastTimestamp, message } = counted;
    return { event: counted, patch: { count, lastTimestamp, message } };
  }

  #remember(key: string, { count, firstTimestamp, metadata }: CoreEvent): void {
    this.#logs.set(key, { count, firstTimestamp, name: metadata.name });
  }

  #withinBudget(event: CoreEvent): boolean {
    const key = JSON.stringify([sourceOf(event), objectOf(event), event.type]);
    const bucket = this.#budgets.get(key) ?? new TokenBucket(this.#clock);
    this.#budgets.set(key, bucket);
    return bucket.take();
  }
}

/** Tokens that are taken or refused, but never reserved. */
class TokenBucket {
  readonly #clock: Clock;
  #tokens = SPAM_BURST;
  #updatedMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#updatedMs = clock.monotonicMs();
  }

  take(): boolean {
    const nowMs = this.#clock.monotonicMs();
    const gained = ((nowMs - this.#updatedMs) / 1000) * SPAM_QPS;
    this.#tokens = Math.min(SPAM_BURST, this.#tokens + gained);
    this.#updatedMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

const sourceOf = ({ source }: CoreEvent): unknown => [source.component, source.host];

const objectOf = ({ involvedObject: object }: CoreEvent): unknown => [
  object.kind,
  object.namespace,
  object.name,
  object.uid,
  object.apiVersion,
];

const eventKey = (event: CoreEvent): string =>
  JSON.stringify([sourceOf(event), objectOf(event), event.type, event.reason, event.message]);

const aggregateKey = (event: CoreEvent): string =>
  JSON.stringify([
    sourceOf(event),
    objectOf(event),
    event.type,
    event.reason,
    event.reportingComponent,
    event.reportingInstance,
  ]);
