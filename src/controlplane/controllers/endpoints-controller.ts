/**
 * Endpoints, the older sibling of EndpointSlices, for Services that select pods.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#endpoints
 * @module
 */
import { messageOf } from "../../errors.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Pod } from "../builtin/strategies/pod-shapes.ts";
import type { Service } from "../builtin/strategies/shapes.ts";
import { unlessGone } from "./absence.ts";
import type { ControllerClient, StoreEvent } from "./client.ts";
import type { EventRecorder } from "./event-recorder.ts";
import {
  type ResolvedPort,
  hasEndpoints,
  headlessLabel,
  hostnameOf,
  podsBehind,
  referenceTo,
  resolvePorts,
  servicesOf,
} from "./endpoint-ports.ts";
import { ENDPOINTS, NODES, PODS, SERVICES, concerns, keyFrom, textOf } from "./keys.ts";
import { isReady } from "./pods.ts";
import { canonicalJson } from "./template-hash.ts";
import { TriggerTimes, withTriggerTime } from "./trigger-times.ts";
import type { Controller } from "./work-loop.ts";

const MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const MANAGER = "endpoint-controller";

interface Address {
  ip: string;
  hostname?: string;
  nodeName: string;
  targetRef: object;
}

interface Subset {
  addresses?: Address[];
  notReadyAddresses?: Address[];
  ports?: (Omit<ResolvedPort, "name"> & { name?: string })[];
}

interface Endpoints extends KubeObject {
  subsets?: Subset[];
}

/** Keeps the Endpoints object of each Service. */
export class EndpointsController implements Controller {
  readonly name = "Endpoints";
  readonly watches = [SERVICES, PODS, NODES, ENDPOINTS];
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
    if (concerns(event, ENDPOINTS)) yield textOf(event.object);
  }

  async sync(key: string): Promise<undefined> {
    const { namespace, name } = keyFrom(key);
    const service = this.#client.find(SERVICES, { namespace, name }) as Service | undefined;
    const live = this.#client.find(ENDPOINTS, { namespace, name }) as Endpoints | undefined;
    if (!service) {
      this.#times.forget(key);
      if (live?.metadata.labels?.[MANAGED_BY] === MANAGER) await this.#remove(namespace, name);
      return;
    }
    if (!hasEndpoints(service)) return;
    const sinceMs = this.#times.since(service);
    const subsets = this.#subsets(service);
    const labels = {
      ...service.metadata.labels,
      [MANAGED_BY]: MANAGER,
      ...headlessLabel(service),
    };
    if (!live) {
      const made = {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name, namespace, labels, ...withTriggerTime({}, sinceMs) },
        ...(subsets.length > 0 ? { subsets } : {}),
      };
      const about = `create endpoint for service ${key}`;
      await this.#told(made, "FailedToCreateEndpoint", about, this.#client.create(ENDPOINTS, made));
    } else if (
      canonicalJson([subsets, labels]) !==
      canonicalJson([live.subsets ?? [], live.metadata.labels ?? {}])
    ) {
      const metadata = { ...live.metadata, labels };
      delete metadata.annotations;
      const next = {
        ...live,
        metadata: { ...metadata, ...withTriggerTime(live.metadata, sinceMs) },
        subsets,
      } as Endpoints;
      const written = this.#client.update(ENDPOINTS, next);
      await this.#told(next, "FailedToUpdateEndpoint", `update endpoint ${key}`, written);
    }
  }

  /** Waits for a write; what is refused is told of. */
  async #told(
    endpoints: KubeObject,
    reason: string,
    about: string,
    write: Promise<KubeObject>,
  ): Promise<void> {
    try {
      await write;
    } catch (thrown) {
      const message = `Failed to ${about}: ${messageOf(thrown)}`;
      await this.#events.record(endpoints, "Warning", reason, message);
      throw thrown;
    }
  }

  #subsets(service: Service): Subset[] {
    const groups = new Map<string, Subset>();
    const pods = podsBehind(this.#client, service).toSorted((left, right) =>
      (left.status?.podIP ?? "") < (right.status?.podIP ?? "") ? -1 : 1,
    );
    const evenUnready = service.spec.publishNotReadyAddresses === true;
    for (const pod of pods) {
      if (pod.metadata.deletionTimestamp && !evenUnready) continue;
      const ports = resolvePorts(service, pod);
      if (ports.length === 0 && (service.spec.ports ?? []).length > 0) continue;
      const id = canonicalJson(ports);
      const subset = groups.get(id) ?? { ports: portsOf(ports) };
      const address = addressOf(service, pod);
      if (evenUnready || isReady(pod)) (subset.addresses ??= []).push(address);
      else (subset.notReadyAddresses ??= []).push(address);
      groups.set(id, subset);
    }
    return [...groups.values()].map((subset) => {
      const { ports = [], ...addresses } = subset;
      return ports.length > 0 ? subset : addresses;
    });
  }

  async #remove(namespace: string, name: string): Promise<void> {
    await unlessGone(this.#client.remove(ENDPOINTS, { namespace, name }));
  }
}

/** Ports by name, as the API server keeps them; an empty name is left out. */
function portsOf(ports: readonly ResolvedPort[]): NonNullable<Subset["ports"]> {
  return ports.map(({ name, ...port }) => (name === "" ? port : { name, ...port }));
}

function addressOf(service: Service, pod: Pod): Address {
  const hostname = hostnameOf(service, pod);
  return {
    ip: pod.status?.podIP ?? "",
    ...(hostname === undefined ? {} : { hostname }),
    // A pod that is on no node makes endpoints that are refused, and told of.
    nodeName: pod.spec.nodeName ?? "",
    targetRef: referenceTo(pod),
  };
}
