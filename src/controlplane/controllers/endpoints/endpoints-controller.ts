/**
 * Endpoints, the predecessor of EndpointSlices, for Services that select pods.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#endpoints
 */
import { messageOf } from "../../../errors.ts";
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Service } from "../../builtin/kinds/core/service/shape.ts";
import { unlessGone } from "../absence.ts";
import {
  type ResolvedPort,
  addressesOf,
  hasEndpoints,
  headlessLabel,
  hostnameOf,
  podsBehind,
  referenceTo,
  resolvePorts,
  serviceWatches,
} from "./endpoint-ports.ts";
import {
  type EndpointAddress,
  type Subset,
  type SubsetPort,
  repackSubsets,
  truncated,
} from "./endpoint-subsets.ts";
import { keyFrom } from "../keys.ts";
import { ENDPOINTS } from "./endpoint-subsets.ts";
import { SERVICES } from "../../builtin/tokens.ts";
import { isReady } from "../pods/pods.ts";
import { canonicalJson } from "../template-hash.ts";
import { TriggerTimes, withTriggerTime } from "./trigger-times.ts";
import { Controller, watch } from "../controller.ts";
import { present } from "../../../present.ts";

const MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const MANAGER = "endpoint-controller";
const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

/** Keeps the Endpoints object of each Service. */
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
    const labels = {
      ...service.metadata.labels,
      [MANAGED_BY]: MANAGER,
      ...headlessLabel(service),
    };
    if (!live) {
      const made = {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name, namespace, labels, ...annotationsOf({}, sinceMs, cut !== undefined) },
        ...(subsets.length > 0 ? { subsets } : {}),
      };
      const about = `create endpoint for service ${key}`;
      await this.#told(made, "FailedToCreateEndpoint", about, this.client.create(ENDPOINTS, made));
    } else if (
      canonicalJson([subsets, labels]) !==
      canonicalJson([live.subsets ?? [], live.metadata.labels ?? {}])
    ) {
      const metadata = { ...live.metadata, labels };
      delete metadata.annotations;
      const next = {
        ...live,
        metadata: { ...metadata, ...annotationsOf(live.metadata, sinceMs, cut !== undefined) },
        subsets,
      };
      const written = this.client.update(ENDPOINTS, next);
      await this.#told(next, "FailedToUpdateEndpoint", `update endpoint ${key}`, written);
    }
  }

  /** Waits for a write, and records a failure in an event. */
  async #told(
    endpoints: SentObject,
    reason: string,
    about: string,
    write: Promise<SentObject>,
  ): Promise<void> {
    try {
      await write;
    } catch (thrown) {
      const message = `Failed to ${about}: ${messageOf(thrown)}`;
      await this.events.record(endpoints, "Warning", reason, message);
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
      for (const port of resolvePorts(service, pod)) {
        perPort.push({ ...addresses, ports: [withoutEmptyName(port)] });
      }
    }
    return repackSubsets(perPort);
  }
}

const withoutEmptyName = ({ name, ...port }: ResolvedPort): SubsetPort =>
  name === "" ? port : { name, ...port };

/** The annotations: the time of the last change, and whether addresses were left out. */
function annotationsOf(
  before: ObjectMeta,
  sinceMs: number | undefined,
  isCut: boolean,
): ReturnType<typeof withTriggerTime> {
  const others = { ...before.annotations };
  delete others[OVER_CAPACITY];
  if (isCut) others[OVER_CAPACITY] = "truncated";
  return withTriggerTime({ annotations: others }, sinceMs);
}

function addressOf(service: Service, pod: Pod, ip: string): EndpointAddress {
  const hostname = hostnameOf(service, pod);
  return {
    ip,
    ...present({ hostname }),
    // The API server refuses the endpoints of a pod without a node, and an event says so.
    nodeName: pod.spec.nodeName ?? "",
    targetRef: referenceTo(pod),
  };
}
