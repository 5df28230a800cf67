/**
 * Events of the simulated controllers; repeated events are counted.
 *
 * As in client-go, many events with one reason are combined into one, and a very busy object gets
 * no more events for a while.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
import type { Clock } from "../../../clock.ts";
import type { SentObject } from "../../../kube/object.ts";
import { present } from "../../../present.ts";
import { hasReason, isAlreadyExists, isNotFound } from "../../../kube/status.ts";
import { unlessGone } from "./absence.ts";
import type { ControllerClient } from "./client.ts";
import { EVENTS } from "../../builtin/tokens.ts";
import { timeOf } from "../../../kube/values/times.ts";

interface Recorded {
  /** Absent until the event was written. */
  readonly name: string | undefined;
  readonly count: number;
}

/** The events about one object with one reason. */
interface Similar {
  readonly messages: Set<string>;
  lastMs: number;
}

/** The number of events that an object may still have. */
interface Allowance {
  left: number;
  sinceMs: number;
}

/** Where in the object, and on which node. */
interface EventDetails {
  /** The part of the object, such as `spec.containers{web}`. */
  readonly fieldPath?: string;
  readonly host?: string;
}

/** From this number of messages with one reason on, within the following time, events are combined into one. */
const SIMILAR = 10;
const SIMILAR_MS = 600_000;
const BURST = 25;
/** After this time an object may have one more event. */
const REFILL_MS = 300_000;
/** How many entries are remembered; the oldest are forgotten. */
const MEMORY = 4096;

export class EventRecorder {
  readonly #client: ControllerClient;
  readonly #clock: Clock;
  readonly #component: string;
  readonly #recorded = new Map<string, Recorded>();
  readonly #similar = new Map<string, Similar>();
  readonly #allowances = new Map<string, Allowance>();
  #sequence = 0;

  constructor(client: ControllerClient, clock: Clock, component: string) {
    this.#client = client;
    this.#clock = clock;
    this.#component = component;
  }

  /** Records an event about `about`. An event in a terminating namespace is dropped. */
  async record(
    about: SentObject,
    type: "Normal" | "Warning",
    reason: string,
    text: string,
    { fieldPath, host }: EventDetails = {},
  ): Promise<void> {
    const { name = "", namespace = "default", uid, resourceVersion } = about.metadata;
    const object = JSON.stringify([about.kind, about.apiVersion, namespace, name, uid]);
    const part = JSON.stringify([object, fieldPath]);
    const isCombined = this.#isOneOfMany(JSON.stringify([part, type, reason]), text);
    const message = isCombined ? `(combined from similar events): ${text}` : text;
    const identity = JSON.stringify([part, type, reason, isCombined ? "" : message, isCombined]);
    const { name: known, count = 0 } = this.#recorded.get(identity) ?? {};
    remember(this.#recorded, identity, { name: known, count: count + 1 });
    if (!this.#mayTell(object)) return;

    const time = timeOf(this.#clock.now());
    if (known !== undefined) {
      const patch = { count: count + 1, lastTimestamp: time, message };
      const write = this.#client.patch(EVENTS, { namespace, name: known }, patch);
      if (await unlessGone(write)) return;
    }
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { namespace },
      involvedObject: {
        kind: about.kind,
        ...(about.metadata.namespace === undefined ? {} : { namespace }),
        name,
        uid,
        apiVersion: about.apiVersion,
        resourceVersion,
        ...present({ fieldPath }),
      },
      reason,
      message,
      source: { component: this.#component, ...present({ host }) },
      firstTimestamp: time,
      lastTimestamp: time,
      count: count + 1,
      type,
      reportingInstance: host ?? "",
      ...(isCombined ? {} : { reportingComponent: this.#component }),
    };
    try {
      const created = await this.#create(name, event);
      remember(this.#recorded, identity, { name: created, count: count + 1 });
    } catch (thrown) {
      if (!hasReason(thrown, "Forbidden") && !isNotFound(thrown)) throw thrown;
    }
  }

  /** Creates the event, under another name when a recorder took the same one while the clock stood still. */
  async #create(about: string, event: SentObject): Promise<string> {
    for (;;) {
      // As from the time in nanoseconds.
      const suffix = BigInt(Math.trunc(this.#clock.now())) * 1_000_000n + BigInt(++this.#sequence);
      const name = `${about}.${suffix.toString(16).padStart(16, "0")}`;
      try {
        await this.#client.create(EVENTS, { ...event, metadata: { ...event.metadata, name } });
        return name;
      } catch (thrown) {
        if (!isAlreadyExists(thrown)) throw thrown;
      }
    }
  }

  /** Whether there are so many events with this reason that they are combined from now on. */
  #isOneOfMany(kind: string, message: string): boolean {
    const now = this.#clock.now();
    const before = this.#similar.get(kind);
    const similar =
      before && now - before.lastMs <= SIMILAR_MS
        ? before
        : { messages: new Set<string>(), lastMs: now };
    similar.messages.add(message);
    similar.lastMs = now;
    remember(this.#similar, kind, similar);
    if (similar.messages.size < SIMILAR) return false;
    const [oldest = ""] = similar.messages;
    similar.messages.delete(oldest);
    return true;
  }

  #mayTell(object: string): boolean {
    const now = this.#clock.now();
    const allowance = this.#allowances.get(object) ?? { left: BURST, sinceMs: now };
    const refilled = allowance.left + (now - allowance.sinceMs) / REFILL_MS;
    allowance.left = Math.min(BURST, refilled);
    allowance.sinceMs = now;
    remember(this.#allowances, object, allowance);
    if (allowance.left < 1) return false;
    allowance.left--;
    return true;
  }
}

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  known.delete(key);
  known.set(key, value);
  if (known.size <= MEMORY) return;
  const [oldest = ""] = known.keys();
  known.delete(oldest);
}
