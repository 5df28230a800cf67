/**
 * EndpointSlices of Services that select pods.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
import type { Service } from "../../builtin/kinds/core/service/shape.ts";
import { NODES, SERVICES } from "../../builtin/tokens.ts";
import { unlessGone } from "../framework/absence.ts";
import { ObjectController, watch } from "../framework/controller.ts";
import {
  ENDPOINT_SLICES,
  type EndpointSlice,
  planSlices,
  serviceKeys,
  sliceLabels,
} from "./endpoint-slice-plan.ts";
import {
  TriggerTimes,
  hasEndpoints,
  podsBehind,
  serviceWatches,
  withTriggerTime,
} from "./service-pods.ts";

export class EndpointSliceController extends ObjectController<Service> {
  readonly name = "EndpointSlice";
  readonly resource = SERVICES;
  readonly watches = [
    ...serviceWatches(this.client),
    watch(ENDPOINT_SLICES, ({ object }) => serviceKeys(object)),
  ];
  readonly #times = new TriggerTimes(this.client);

  protected override async forget(key: string): Promise<undefined> {
    this.#times.forget(key);
  }

  protected async reconcile(service: Service): Promise<undefined> {
    // The endpoints of a Service without a selector are not this controller's any more.
    if (!hasEndpoints(service)) return;
    const { namespace = "", name = "", deletionTimestamp } = service.metadata;
    const slices = this.client.list(ENDPOINT_SLICES, { namespace, labels: sliceLabels(name) });
    const sinceMs = this.#times.since(service);
    const { create, update, remove, problems } = planSlices(
      service,
      slices.filter(({ metadata }) => !metadata.deletionTimestamp),
      podsBehind(this.client, service),
      (node) => this.client.find(NODES, { name: node }),
    );
    const timed = (slice: EndpointSlice): EndpointSlice => {
      const { annotations, ...metadata } = slice.metadata;
      return {
        ...slice,
        metadata: { ...metadata, ...withTriggerTime(annotations, sinceMs) },
        endpoints: slice.endpoints?.length ? slice.endpoints : null,
        ports: slice.ports?.length ? slice.ports : null,
      };
    };
    // A terminating Service gets no new slices: the garbage collector is deleting those that it
    // has.
    for (const slice of deletionTimestamp ? [] : create) {
      await this.client.create(ENDPOINT_SLICES, timed(slice));
    }
    for (const slice of update) await this.client.update(ENDPOINT_SLICES, timed(slice));
    for (const { metadata } of remove) {
      await unlessGone(this.client.remove(ENDPOINT_SLICES, metadata));
    }
    if (problems.length === 0) return;
    const told = problems.length === 1 ? problems.join("") : `[${problems.join(", ")}]`;
    const message = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${told}`;
    await this.events.record(service, "Warning", "FailedToUpdateEndpointSlices", message);
    throw new Error(message);
  }
}
