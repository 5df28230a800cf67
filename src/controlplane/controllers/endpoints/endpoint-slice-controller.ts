/**
 * EndpointSlices of Services that select pods.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
import type { Service } from "../../builtin/kinds/core/service/shape.ts";
import { unlessGone } from "../absence.ts";
import { hasEndpoints, podsBehind, serviceWatches } from "./endpoint-ports.ts";
import {
  type EndpointSlice,
  type SlicePlan,
  planSlices,
  serviceOf,
  sliceLabels,
} from "./endpoint-slice-plan.ts";
import { ENDPOINT_SLICES } from "./endpoint-slice-plan.ts";
import { NODES, SERVICES } from "../../builtin/tokens.ts";
import { TriggerTimes, withTriggerTime } from "./trigger-times.ts";
import { ObjectController, watch } from "../controller.ts";

/** Keeps the slices of each Service. */
export class EndpointSliceController extends ObjectController<Service> {
  readonly name = "EndpointSlice";
  readonly resource = SERVICES;
  readonly watches = [
    ...serviceWatches(this.client),
    watch(ENDPOINT_SLICES, ({ object }) => {
      const service = serviceOf(object);
      return service === undefined ? [] : [`${object.metadata.namespace ?? ""}/${service}`];
    }),
  ];
  readonly #times = new TriggerTimes(this.client);

  protected override async forget(key: string): Promise<undefined> {
    this.#times.forget(key);
  }

  protected async reconcile(service: Service): Promise<undefined> {
    // The endpoints of a Service without a selector are not this controller's any more.
    if (!hasEndpoints(service)) return;
    const { namespace = "", name = "" } = service.metadata;
    const slices = this.client.list(ENDPOINT_SLICES, { namespace, labels: sliceLabels(name) });
    const sinceMs = this.#times.since(service);
    const plan = planSlices(
      service,
      slices.filter(({ metadata }) => !metadata.deletionTimestamp),
      podsBehind(this.client, service),
      (node) => this.client.find(NODES, { name: node }),
    );
    await this.#write(plan, sinceMs, service.metadata.deletionTimestamp !== undefined);
    if (plan.problems.length === 0) return;
    const [problem = "", ...others] = plan.problems;
    const told = others.length === 0 ? problem : `[${plan.problems.join(", ")}]`;
    const message = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${told}`;
    await this.events.record(service, "Warning", "FailedToUpdateEndpointSlices", message);
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
      await this.client.create(ENDPOINT_SLICES, timed(slice));
    }
    for (const slice of plan.update) await this.client.update(ENDPOINT_SLICES, timed(slice));
    for (const { metadata } of plan.remove) {
      await unlessGone(this.client.remove(ENDPOINT_SLICES, metadata));
    }
  }
}
