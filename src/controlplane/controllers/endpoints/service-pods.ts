/** The pods behind a Service, their ports and changes, for both Endpoints and EndpointSlices. */
import { isIP } from "node:net";
import type { ObjectReference } from "../../../generated/k8s/core-v1.ts";
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import { msOf, timeOf } from "../../../kube/values/times.ts";
import { present } from "../../../present.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Service, ServicePort } from "../../builtin/kinds/core/service/shape.ts";
import { NODES, PODS, SERVICES } from "../../builtin/tokens.ts";
import type { ControllerClient } from "../framework/client.ts";
import { type Watch, watch } from "../framework/controller.ts";
import { textOf } from "../framework/keys.ts";
import { isFinished, isReady, readySince } from "../pods/pods.ts";

/** A port of endpoints; its name may be absent. */
export type EndpointPort = Omit<ServicePort, "targetPort" | "nodePort">;

export const HEADLESS = "service.kubernetes.io/headless";
const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

/** Whether the controllers make endpoints for the Service: it has a selector and is not of type ExternalName. */
export const hasEndpoints = ({ spec }: Service): boolean =>
  spec.selector !== undefined && spec.type !== "ExternalName";

/**
 * The watches for the endpoints of Services: a new node concerns all of them, a change of a pod
 * those whose endpoints show it.
 */
export function serviceWatches(client: ControllerClient): Watch[] {
  return [
    watch(SERVICES),
    watch(PODS, function* ({ type, object: pod, old }) {
      const isChanged = !old || type !== "MODIFIED" || showsOtherwise(old, pod);
      for (const service of client.list(SERVICES, { namespace: pod.metadata.namespace ?? "" })) {
        if (!hasEndpoints(service)) continue;
        const selector = { matchLabels: service.spec.selector ?? {} };
        const is = matchesLabelSelector(selector, pod.metadata.labels);
        const was = old ? matchesLabelSelector(selector, old.metadata.labels) : is;
        if (is !== was || (is && isChanged)) yield textOf(service);
      }
    }),
    watch(NODES, ({ type }) => (type === "ADDED" ? client.list(SERVICES).map(textOf) : [])),
  ];
}

function showsOtherwise(old: Pod, pod: Pod): boolean {
  const ips = ({ status }: Pod): string => (status?.podIPs ?? []).map(({ ip }) => ip).join();
  return (
    pod.metadata.deletionTimestamp !== undefined ||
    isReady(old) !== isReady(pod) ||
    ips(old) !== ips(pod)
  );
}

/** The label of the endpoints of a headless Service; none for others. */
export const headlessLabel = (service: Service): Record<string, string> =>
  service.spec.clusterIP === "None" ? { [HEADLESS]: "" } : {};

/** The `targetRef` of a pod among the endpoints. */
export function referenceTo({ metadata }: Pod): ObjectReference {
  const { name = "", namespace = "", uid = "" } = metadata;
  return { kind: "Pod", namespace, name, uid };
}

/** The pods that a Service selects, by name. */
const selectedPods = (client: ControllerClient, { metadata, spec }: Service): readonly Pod[] =>
  client.list(PODS, { namespace: metadata.namespace ?? "", labels: spec.selector ?? {} });

/** The pods with an address that a Service selects, by name, including terminating ones. */
export const podsBehind = (client: ControllerClient, service: Service): readonly Pod[] =>
  selectedPods(client, service).filter(
    (pod) => (pod.status?.podIP || pod.status?.podIPs?.length) && !isFinished(pod),
  );

/** The pod's addresses of the address family of Services. */
export const addressesOf = ({ status }: Pod): string[] =>
  (status?.podIPs ?? []).map(({ ip }) => ip).filter((ip) => isIP(ip) === 4);

/** The ports of the Service on the pod; a named port that the pod lacks is left out. */
export function resolvePorts(service: Service, pod: Pod): EndpointPort[] {
  return (service.spec.ports ?? []).flatMap((servicePort) => {
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    const port = targetOf(servicePort, pod);
    return port === undefined ? [] : [{ name, port, protocol, ...present({ appProtocol }) }];
  });
}

function targetOf(
  { targetPort, port, protocol = "TCP" }: ServicePort,
  { spec: { containers, initContainers = [] } }: Pod,
): number | undefined {
  if (targetPort === undefined) return port;
  if (typeof targetPort === "number") return targetPort;
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...(containers ?? []), ...sidecars]
    .map(({ ports = [] }) =>
      ports.find((one) => one.name === targetPort && (one.protocol ?? "TCP") === protocol),
    )
    .find((found) => found?.containerPort !== undefined)?.containerPort;
}

/** The host name of the pod in DNS, when it has one in this Service's domain. */
export function hostnameOf(service: Service, pod: Pod): string | undefined {
  const { hostname, subdomain } = pod.spec;
  return hostname && subdomain === service.metadata.name ? hostname : undefined;
}

/**
 * Remembers the times of the last changes of each Service's pods.
 *
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/#endpoints-kubernetes-io-last-change-trigger-time
 */
export class TriggerTimes {
  readonly #client: ControllerClient;
  /** The times of pods by name, by Service. */
  readonly #known = new Map<string, ReadonlyMap<string, number>>();

  constructor(client: ControllerClient) {
    this.#client = client;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }

  /** The time of the first change since the last call, in milliseconds; `undefined` when no change has a time. */
  since(service: Service): number | undefined {
    const pods = selectedPods(this.#client, service);
    const times = new Map(pods.map((pod) => [pod.metadata.name ?? "", readySince(pod)]));
    const before = this.#known.get(textOf(service));
    this.#known.set(textOf(service), times);
    if (!before) return msOf(service.metadata.creationTimestamp);
    const changed = [...times].filter(([name, time]) => time > (before.get(name) ?? 0));
    return changed.length > 0 ? Math.min(...changed.map(([, time]) => time)) : undefined;
  }
}

/**
 * The annotations with the time of the change that endpoints follow, by which the delay of a
 * network is measured, or without one when it is unknown.
 *
 * @param others - further annotations, which are removed where they are `undefined`
 */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> = {},
  sinceMs?: number,
  others: Readonly<Record<string, string | undefined>> = {},
): { annotations?: Record<string, string> } {
  const time = sinceMs === undefined ? undefined : timeOf(sinceMs);
  const next: Record<string, string> = present({ ...annotations, ...others, [TRIGGER_TIME]: time });
  return Object.keys(next).length > 0 ? { annotations: next } : {};
}

const OFFSET = 0x6c62272e07bb014262b821756295c58dn;
const PRIME = 0x0000000001000000000000000000013bn;
const MASK = (1n << 128n) - 1n;

/** FNV-1a with 128 bits over the UTF-8 of `text`, as 32 hexadecimal digits. */
function fnv128a(text: string): string {
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(text)) {
    hash = ((hash ^ BigInt(byte)) * PRIME) & MASK;
  }
  return hash.toString(16).padStart(32, "0");
}

/** Ports in the order of Kubernetes: by a hash of their Go representation, which `print` makes. */
export function sortedByHash(
  ports: readonly EndpointPort[],
  print: (port: EndpointPort) => string,
): EndpointPort[] {
  return ports
    .map((item) => ({ item, hash: fnv128a(print(item)) }))
    .sort((left, right) => (left.hash < right.hash ? -1 : left.hash > right.hash ? 1 : 0))
    .map(({ item }) => item);
}
