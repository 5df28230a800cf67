/**
 * EndpointSlices of Services that select pods.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
import { unlessGone } from "../absence.ts";
import type { ControllerClient, StoreEvent } from "../client.ts";
import { hasEndpoints, podsBehind, servicesOf } from "./endpoint-ports.ts";
import {
  type EndpointSlice,
  type SlicePlan,
  planSlices,
  serviceOf,
  sliceLabels,
} from "./endpoint-slice-plan.ts";
import type { EventRecorder } from "../event-recorder.ts";
import { concerns, keyFrom } from "../keys.ts";
import { ENDPOINT_SLICES } from "./endpoint-slice-plan.ts";
import { NODES, PODS, SERVICES } from "../../builtin/tokens.ts";
import { TriggerTimes, withTriggerTime } from "./trigger-times.ts";
import type { Controller } from "../work-loop.ts";

/** Keeps the slices of each Service. */
export class EndpointSliceController implements Controller {
  readonly name = "EndpointSlice";
  readonly watches = [SERVICES, PODS, NODES, ENDPOINT_SLICES];
  readonly #client: ControllerClient;
  readonly #events: EventRecorder;
  readonly #times: TriggerTimes;

  constructor(client: ControllerClient, events: EventRecorder) {
    this.#client = client;
    this.#events = events;
    this.#times = new TriggerTimes(client);
  }

  *observe(event: StoreEvent): Iterable<string> {
    yield* servicesOf(this.#client, event);
    if (!concerns(event, ENDPOINT_SLICES)) return;
    const service = serviceOf(event.object);
    if (service !== undefined) yield `${event.object.metadata.namespace ?? ""}/${service}`;
  }

  async sync(key: string): Promise<undefined> {
    const { namespace, name } = keyFrom(key);
    const service = this.#client.find(SERVICES, { namespace, name });
    if (!service) this.#times.forget(key);
    // The endpoints of a Service without a selector are not this controller's any more.
    if (!service || !hasEndpoints(service)) return;
    const slices = this.#client.list(ENDPOINT_SLICES, {
      namespace,
      labels: sliceLabels(name),
    });
    const sinceMs = this.#times.since(service);
    const plan = planSlices(
      service,
      slices.filter(({ metadata }) => !metadata.deletionTimestamp),
      podsBehind(this.#client, service),
      (node) => this.#client.find(NODES, { name: node }),
    );
    await this.#write(plan, sinceMs, service.metadata.deletionTimestamp !== undefined);
    if (plan.problems.length === 0) return;
    const [problem = "", ...others] = plan.problems;
    const told = others.length === 0 ? problem : `[${plan.problems.join(", ")}]`;
    const message = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${told}`;
    await this.#events.record(service, "Warning", "FailedToUpdateEndpointSlices", message);
    throw new Error(message);
  }

  async #write(plan: SlicePlan, sinceMs: number | undefined, isLeaving: boolean): Promise<void> {
    const timed = (slice: EndpointSlice): EndpointSlice => {
      const { annotations = {}, ...metadata } = slice.metadata;
      return {
        ...slice,
        metadata: { ...metadata, ...withTriggerTime({ annotations }, sinceMs) },
        endpoints: slice.endpoints && slice.endpoints.length > 0 ? slice.endpoints : null,
        ports: slice.ports && slice.ports.length > 0 ? slice.ports : null,
      };
    };
    // A terminating Service gets no new slices: the garbage collector is deleting those that it
    // has.
    for (const slice of isLeaving ? [] : plan.create) {
      await this.#client.create(ENDPOINT_SLICES, timed(slice));
    }
    for (const slice of plan.update) await this.#client.update(ENDPOINT_SLICES, timed(slice));
    for (const { metadata } of plan.remove) {
      const { namespace = "", name = "" } = metadata;
      await unlessGone(this.#client.remove(ENDPOINT_SLICES, { namespace, name }));
    }
  }
}
