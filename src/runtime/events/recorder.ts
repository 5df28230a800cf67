/**
 * Records the actions and failures of an operator for people: events, as `kubectl describe` shows
 * them.
 *
 * Recording never waits and never throws: events are sent in the background, and one that cannot be sent is
 * a line in the log.
 */
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { cutText } from "../../logging/bounded-text.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { ResourceType } from "../../kube/resource.ts";
import { isNotFound, StatusError } from "../../kube/status.ts";
import type { Client } from "../client/client.ts";
import { strategicPatch } from "../client/patches.ts";
import {
  EventCorrelator,
  type CoreEvent,
  type CorrelatedEvent,
  type ObjectReference,
} from "./correlator.ts";
import { present } from "../../present.ts";
import { omittedText, ReportLimit } from "../report-limit.ts";

/** The content of an event. */
export interface EventDetails {
  readonly type: "Normal" | "Warning";
  /** The reason: one word in CamelCase. */
  readonly reason: string;
  /** The message: a sentence for people. What is over 1 kB is cut. */
  readonly message: string;
  /** The action of the operator: one word in CamelCase. */
  readonly action?: string;
  readonly related?: KubeObject;
}

/** Records events in the name of one component. */
export interface EventRecorder {
  /**
   * Records an event about an object, without waiting for the server; one that the server refuses
   * is logged.
   */
  event(object: KubeObject, details: EventDetails): void;
}

const EVENT: ResourceType<CoreEvent & KubeObject> = {
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
};

// The limit of events.k8s.io, with room for the correlator's "(combined from similar events): ".
const MOST_MESSAGE_BYTES = 1024 - 40;
const MAX_WAITING = 1000;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;

export class EventBroadcaster {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #correlator: EventCorrelator;
  readonly #lines: ReportLimit;
  readonly #waiting: CoreEvent[] = [];
  readonly #ending = new AbortController();
  #sending: Promise<void> | undefined;
  #isWaiting = false;

  constructor(client: Client, clock: Clock, log: Logger) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
    this.#correlator = new EventCorrelator(clock);
    this.#lines = new ReportLimit(clock);
  }

  /** A recorder in the name of `component`. */
  recorder(component: string): EventRecorder {
    return {
      event: (object, details) => {
        this.#push(this.#build(component, object, details));
      },
    };
  }

  /** Whether an event is being sent; one that waits for a retry does not count. */
  get isSending(): boolean {
    return this.#sending !== undefined && !this.#isWaiting;
  }

  /** Resolves when all recorded events are sent or dropped; nothing is retried from now on. */
  async flush(): Promise<void> {
    this.#ending.abort(new Error("the manager is stopping"));
    await this.#sending;
  }

  #push(event: CoreEvent): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#warn({ reason: event.reason }, "too many events are queued; one is dropped");
      return;
    }
    this.#waiting.push(event);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  #warn(fields: object, text: string): void {
    const omitted = this.#lines.admit();
    if (omitted === undefined) this.#log.debug(fields, text);
    else this.#log.warn(fields, `${text}${omittedText(omitted)}`);
  }

  async #send(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const correlated = this.#correlator.correlate(next);
      if (correlated) await this.#deliver(correlated);
    }
  }

  async #deliver(correlated: CorrelatedEvent): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#correlator.sent(await this.#write(correlated));
        return;
      } catch (error) {
        const givenUp = error instanceof StatusError || attempt >= MAX_TRIES;
        if (givenUp || this.#ending.signal.aborted) {
          this.#warn({ err: error }, `an event was not sent: ${messageOf(error)}`);
          return;
        }
        // The first wait is spread, so that many processes do not come back together.
        const waitMs = attempt === 1 ? RETRY_MS * this.#clock.random() : RETRY_MS;
        this.#isWaiting = true;
        await this.#clock.sleep(waitMs, this.#ending.signal).catch(() => undefined);
        this.#isWaiting = false;
      }
    }
  }

  async #write({ event, patch }: CorrelatedEvent): Promise<CoreEvent> {
    const { namespace = "default", name } = event.metadata;
    if (patch) {
      try {
        return await this.#client.patch(EVENT, { namespace, name }, strategicPatch(patch));
      } catch (error) {
        // Events live for an hour; the counted one may be gone.
        if (!isNotFound(error)) throw error;
      }
    }
    return this.#client.create(EVENT, event);
  }

  #build(component: string, object: KubeObject, details: EventDetails): CoreEvent {
    const nowMs = this.#clock.now();
    const timestamp = new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z");
    const { type, reason, action, related } = details;
    const message = cutText(details.message, MOST_MESSAGE_BYTES);
    // client-go's names: unique by the nanosecond, of which only the random part is available here.
    const random = BigInt(Math.floor(this.#clock.random() * 1e6));
    const nanoseconds = BigInt(Math.floor(nowMs)) * 1_000_000n + random;
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: {
        name: `${object.metadata.name}.${nanoseconds.toString(16)}`,
        namespace: object.metadata.namespace ?? "default",
      },
      involvedObject: referenceTo(object),
      source: { component },
      type,
      reason,
      message,
      count: 1,
      firstTimestamp: timestamp,
      lastTimestamp: timestamp,
      reportingComponent: component,
      reportingInstance: "",
      ...present({ action }),
      ...(related === undefined ? {} : { related: referenceTo(related) }),
    };
  }
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    ...present({ namespace }),
    name,
    uid,
    resourceVersion,
  };
}
