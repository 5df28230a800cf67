/**
 * EndpointSlices of Services that select pods.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import type { Pod } from "../builtin/strategies/pod-shapes.ts";
import type { Service } from "../builtin/strategies/shapes.ts";
import { unlessGone } from "./absence.ts";
import type { ControllerClient, StoreEvent } from "./client.ts";
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
import { ENDPOINT_SLICES, NODES, PODS, SERVICES, concerns, keyFrom } from "./keys.ts";
import { type OwnerKind, controllerReference } from "./ownership.ts";
import { isReady } from "./pods.ts";
import { canonicalJson } from "./template-hash.ts";
import { TriggerTimes, withTriggerTime } from "./trigger-times.ts";
import type { Controller } from "./work-loop.ts";

const KIND: OwnerKind = { apiVersion: "v1", kind: "Service", resource: SERVICES };
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const MANAGER = "endpointslice-controller.k8s.io";
const SERVICE_NAME = "kubernetes.io/service-name";
const ZONE = "topology.kubernetes.io/zone";
const SLICE_SIZE = 100;

interface Endpoint {
  addresses: string[];
  conditions: { ready: boolean; serving: boolean; terminating: boolean };
  hostname?: string;
  nodeName?: string;
  zone?: string;
  targetRef: object;
}

interface EndpointSlice extends KubeObject {
  addressType: string;
  endpoints?: Endpoint[] | null;
  ports?: ResolvedPort[] | null;
}

/** Keeps the slices of each Service. */
export class EndpointSliceController implements Controller {
  readonly name = "EndpointSlice";
  readonly watches = [SERVICES, PODS, NODES, ENDPOINT_SLICES];
  readonly #client: ControllerClient;
  readonly #times: TriggerTimes;

  constructor(client: ControllerClient) {
    this.#client = client;
    this.#times = new TriggerTimes(client);
  }

  *observe(event: StoreEvent): Iterable<string> {
    yield* servicesOf(this.#client, event);
    if (
      concerns(event, ENDPOINT_SLICES) &&
      event.object.metadata.labels?.[MANAGED_BY] === MANAGER
    ) {
      const { namespace = "", labels = {} } = event.object.metadata;
      yield `${namespace}/${labels[SERVICE_NAME] ?? ""}`;
    }
  }

  async sync(key: string): Promise<undefined> {
    const service = this.#client.find(SERVICES, keyFrom(key)) as Service | undefined;
    const { namespace, name } = keyFrom(key);
    const existing = this.#client.list(ENDPOINT_SLICES, {
      namespace,
      labels: { [SERVICE_NAME]: name, [MANAGED_BY]: MANAGER },
    }) as readonly EndpointSlice[];
    if (!service) this.#times.forget(key);
    // What a Service without a selector has is others' concern from now on.
    if (!service || service.metadata.deletionTimestamp || !hasEndpoints(service)) return;
    const sinceMs = this.#times.since(service);
    await this.#reconcile(service, existing, this.#wanted(service), sinceMs);
  }

  /** The slices as they shall be: pods with the same ports together, at most 100 in each. */
  #wanted(service: Service): EndpointSlice[] {
    const groups = new Map<string, { ports: ResolvedPort[]; endpoints: Endpoint[] }>();
    for (const pod of podsBehind(this.#client, service)) {
      const endpoint = this.#endpoint(service, pod);
      if (!endpoint) continue;
      const ports = resolvePorts(service, pod);
      const id = canonicalJson(ports);
      const group = groups.get(id) ?? { ports, endpoints: [] };
      group.endpoints.push(endpoint);
      groups.set(id, group);
    }
    if (groups.size === 0) groups.set("", { ports: [], endpoints: [] });
    return [...groups.values()].flatMap(({ ports, endpoints }) => {
      const slices: EndpointSlice[] = [];
      for (let start = 0; start === 0 || start < endpoints.length; start += SLICE_SIZE) {
        slices.push(this.#slice(service, ports, endpoints.slice(start, start + SLICE_SIZE)));
      }
      return slices;
    });
  }

  #slice(service: Service, ports: ResolvedPort[], endpoints: Endpoint[]): EndpointSlice {
    const { name = "", namespace = "", labels } = service.metadata;
    return {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        generateName: `${name}-`,
        namespace,
        labels: {
          ...labels,
          ...headlessLabel(service),
          [MANAGED_BY]: MANAGER,
          [SERVICE_NAME]: name,
        },
        ownerReferences: [controllerReference(service, KIND)],
      },
      addressType: "IPv4",
      endpoints: endpoints.length > 0 ? endpoints : null,
      ports: ports.length > 0 ? ports : null,
    };
  }

  #endpoint(service: Service, pod: Pod): Endpoint | undefined {
    const { nodeName = "" } = pod.spec;
    const node = nodeName === "" ? undefined : this.#client.find(NODES, { name: nodeName });
    const evenUnready = service.spec.publishNotReadyAddresses === true;
    if (!node && !evenUnready) return undefined;
    const serving = isReady(pod);
    const terminating = pod.metadata.deletionTimestamp !== undefined;
    const hostname = hostnameOf(service, pod);
    const zone = node?.metadata.labels?.[ZONE];
    return {
      addresses: [pod.status?.podIP ?? ""],
      conditions: { ready: evenUnready || (serving && !terminating), serving, terminating },
      ...(hostname === undefined ? {} : { hostname }),
      ...(nodeName === "" ? {} : { nodeName }),
      ...(zone === undefined ? {} : { zone }),
      targetRef: referenceTo(pod),
    };
  }

  async #reconcile(
    service: Service,
    existing: readonly EndpointSlice[],
    wanted: readonly EndpointSlice[],
    sinceMs: number | undefined,
  ): Promise<void> {
    const free = new Set(existing.filter(({ metadata }) => !metadata.deletionTimestamp));
    const open: EndpointSlice[] = [];
    const take = (fits: (slice: EndpointSlice) => boolean): EndpointSlice | undefined => {
      for (const slice of free) {
        if (fits(slice)) {
          free.delete(slice);
          return slice;
        }
      }
      return undefined;
    };
    const pairs: [EndpointSlice, EndpointSlice][] = [];
    for (const slice of wanted) {
      const match = take(
        ({ ports }) => canonicalJson(ports ?? []) === canonicalJson(slice.ports ?? []),
      );
      if (match) pairs.push([match, slice]);
      else open.push(slice);
    }
    for (const slice of open) {
      const any = take(() => true);
      if (any) pairs.push([any, slice]);
      else {
        const metadata = { ...slice.metadata, ...withTriggerTime({}, sinceMs) };
        await this.#client.create(ENDPOINT_SLICES, { ...slice, metadata });
      }
    }
    for (const [live, slice] of pairs) await this.#update(service, live, slice, sinceMs);
    for (const slice of free) await this.#remove(slice);
  }

  async #update(
    service: Service,
    live: EndpointSlice,
    wanted: EndpointSlice,
    sinceMs: number | undefined,
  ): Promise<void> {
    const content = ({ endpoints, ports }: EndpointSlice): string =>
      canonicalJson([endpoints ?? [], ports ?? []]);
    const labels = wanted.metadata.labels ?? {};
    const same =
      content(live) === content(wanted) &&
      canonicalJson(labels) === canonicalJson(live.metadata.labels ?? {});
    if (same && live.metadata.ownerReferences?.[0]?.uid === service.metadata.uid) return;
    const metadata = { ...live.metadata };
    delete metadata.annotations;
    await this.#client.update(ENDPOINT_SLICES, {
      ...live,
      metadata: {
        ...metadata,
        ...withTriggerTime(live.metadata, sinceMs),
        labels,
        ownerReferences: wanted.metadata.ownerReferences ?? [],
      },
      endpoints: wanted.endpoints ?? null,
      ports: wanted.ports ?? null,
    } as EndpointSlice);
  }

  async #remove({ metadata }: EndpointSlice): Promise<void> {
    const { namespace = "", name = "" } = metadata;
    await unlessGone(this.#client.remove(ENDPOINT_SLICES, { namespace, name }));
  }
}
