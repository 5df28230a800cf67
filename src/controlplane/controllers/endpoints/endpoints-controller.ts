/**
 * Endpoints, the predecessor of EndpointSlices, for Services that select pods.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#endpoints
 */
import { messageOf } from "../../../errors.ts";
import { present } from "../../../present.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Service } from "../../builtin/kinds/core/service/shape.ts";
import { SERVICES } from "../../builtin/tokens.ts";
import { unlessGone } from "../framework/absence.ts";
import { Controller, watch } from "../framework/controller.ts";
import { keyFrom } from "../framework/keys.ts";
import { isReady } from "../pods/pods.ts";
import { canonicalJson } from "../../../kube/canonical-json.ts";
import {
  ENDPOINTS,
  type EndpointAddress,
  type Endpoints,
  type Subset,
  repackSubsets,
  truncated,
} from "./endpoint-subsets.ts";
import {
  TriggerTimes,
  addressesOf,
  hasEndpoints,
  headlessLabel,
  hostnameOf,
  podsBehind,
  referenceTo,
  resolvePorts,
  serviceWatches,
  withTriggerTime,
} from "./service-pods.ts";

const MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const MANAGER = "endpoint-controller";
const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

export class EndpointsController extends Controller {
  readonly name = "Endpoints";
  readonly watches = [...serviceWatches(this.client), watch(ENDPOINTS)];
  readonly #times = new TriggerTimes(this.client);

  async sync(key: string): Promise<undefined> {
    const { namespace, name } = keyFrom(key);
    const service = this.client.find(SERVICES, { namespace, name });
    const live = this.client.find(ENDPOINTS, { namespace, name });
    if (!service) {
      this.#times.forget(key);
      if (live?.metadata.labels?.[MANAGED_BY] === MANAGER) {
        await unlessGone(this.client.remove(ENDPOINTS, live.metadata));
      }
      return;
    }
    if (!hasEndpoints(service)) return;
    const sinceMs = this.#times.since(service);
    const all = this.#subsets(service);
    const cut = truncated(all);
    const subsets = cut ?? all;
    const labels = { ...service.metadata.labels, [MANAGED_BY]: MANAGER, ...headlessLabel(service) };
    const isCurrent =
      live &&
      canonicalJson([subsets, labels]) ===
        canonicalJson([live.subsets ?? [], live.metadata.labels ?? {}]);
    if (isCurrent) return;
    const { annotations, ...metadata } = live?.metadata ?? { name, namespace };
    const next: Endpoints = {
      apiVersion: "v1",
      kind: "Endpoints",
      ...live,
      metadata: {
        ...metadata,
        labels,
        ...withTriggerTime(annotations, sinceMs, { [OVER_CAPACITY]: cut && "truncated" }),
      },
      subsets,
    };
    try {
      await (live ? this.client.update(ENDPOINTS, next) : this.client.create(ENDPOINTS, next));
    } catch (thrown) {
      const reason = live ? "FailedToUpdateEndpoint" : "FailedToCreateEndpoint";
      const about = live ? "update endpoint" : "create endpoint for service";
      const message = `Failed to ${about} ${key}: ${messageOf(thrown)}`;
      await this.events.record(next, "Warning", reason, message);
      throw thrown;
    }
  }

  #subsets(service: Service): Subset[] {
    const { publishNotReadyAddresses: evenUnready = false, ports: servicePorts = [] } =
      service.spec;
    const perPort: Subset[] = [];
    for (const pod of podsBehind(this.client, service)) {
      if (pod.metadata.deletionTimestamp && !evenUnready) continue;
      const [ip] = addressesOf(pod);
      if (ip === undefined) continue;
      const state = evenUnready || isReady(pod) ? "addresses" : "notReadyAddresses";
      const addresses = { [state]: [addressOf(service, pod, ip)] };
      if (servicePorts.length === 0) perPort.push(addresses);
      for (const { name, ...port } of resolvePorts(service, pod)) {
        perPort.push({ ...addresses, ports: [name ? { name, ...port } : port] });
      }
    }
    return repackSubsets(perPort);
  }
}

const addressOf = (service: Service, pod: Pod, ip: string): EndpointAddress => ({
  ip,
  ...present({ hostname: hostnameOf(service, pod) }),
  // The API server refuses the endpoints of a pod without a node, and an event says so.
  nodeName: pod.spec.nodeName ?? "",
  targetRef: referenceTo(pod),
});
