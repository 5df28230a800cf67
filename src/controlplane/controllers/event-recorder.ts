/**
 * Events of the simulated controllers: what happened to an object, counted when it happens again.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 * @module
 */
import type { Clock } from "../../clock.ts";
import type { KubeObject } from "../../kube/object.ts";
import { hasReason, isNotFound } from "../../kube/status.ts";
import { unlessGone } from "./absence.ts";
import type { ControllerClient } from "./client.ts";
import { EVENTS } from "./keys.ts";
import { timeOf } from "./times.ts";

interface Recorded {
  readonly name: string;
  count: number;
}

/** Writes the events of one controller. */
export class EventRecorder {
  readonly #client: ControllerClient;
  readonly #clock: Clock;
  readonly #component: string;
  readonly #recorded = new Map<string, Recorded>();
  #sequence = 0;

  constructor(client: ControllerClient, clock: Clock, component: string) {
    this.#client = client;
    this.#clock = clock;
    this.#component = component;
  }

  /** Says what happened to `about`. An event of a namespace that is going away is dropped. */
  async record(
    about: KubeObject,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
  ): Promise<void> {
    const { name = "", namespace = "default", uid, resourceVersion } = about.metadata;
    const identity = JSON.stringify([uid, namespace, name, type, reason, message]);
    const time = timeOf(this.#clock.now());
    const before = this.#recorded.get(identity);
    if (before && (await this.#countAgain(before, namespace, time))) return;

    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `${name}.${this.#uniqueSuffix()}`, namespace },
      involvedObject: {
        kind: about.kind,
        ...(about.metadata.namespace === undefined ? {} : { namespace }),
        name,
        uid,
        apiVersion: about.apiVersion,
        resourceVersion,
      },
      reason,
      message,
      source: { component: this.#component },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type,
      reportingComponent: this.#component,
      reportingInstance: "",
    };
    try {
      await this.#client.create(EVENTS, event);
      this.#recorded.set(identity, { name: event.metadata.name, count: 1 });
    } catch (thrown) {
      if (!hasReason(thrown, "Forbidden") && !isNotFound(thrown)) throw thrown;
    }
  }

  async #countAgain(before: Recorded, namespace: string, time: string): Promise<boolean> {
    const patch = { count: before.count + 1, lastTimestamp: time };
    const key = { namespace, name: before.name };
    const isThere = await unlessGone(this.#client.patch(EVENTS, key, patch));
    if (isThere) before.count++;
    return isThere;
  }

  /** Sixteen hexadecimal digits, as the nanoseconds of the time would give. */
  #uniqueSuffix(): string {
    this.#sequence++;
    const nanos = BigInt(Math.trunc(this.#clock.now())) * 1_000_000n + BigInt(this.#sequence);
    return nanos.toString(16).padStart(16, "0");
  }
}
