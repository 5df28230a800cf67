/** The pods behind a Service and their ports, for both Endpoints and EndpointSlices. */
import { isIP } from "node:net";
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Service, ServicePort } from "../../builtin/kinds/core/service/shape.ts";
import type { ControllerClient } from "../client.ts";
import { type Watch, watch } from "../controller.ts";
import { textOf } from "../keys.ts";
import { NODES, PODS, SERVICES } from "../../builtin/tokens.ts";
import { isFinished, isReady } from "../pods/pods.ts";
import { present } from "../../../present.ts";

const HEADLESS = "service.kubernetes.io/headless";

/** A port of a Service, as resolved for one pod. */
export interface ResolvedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/**
 * Whether the controllers make endpoints for the Service: it has a selector and is not of type
 * ExternalName.
 */
export function hasEndpoints(service: Service): boolean {
  return service.spec.selector !== undefined && service.spec.type !== "ExternalName";
}

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
export function referenceTo({ metadata }: Pod): {
  kind: string;
  namespace: string;
  name: string;
  uid: string;
} {
  const { name = "", namespace = "", uid = "" } = metadata;
  return { kind: "Pod", namespace, name, uid };
}

/** The pods with an address that a Service selects, by name, including terminating ones. */
export function podsBehind(client: ControllerClient, service: Service): readonly Pod[] {
  const { namespace = "" } = service.metadata;
  const selector = { matchLabels: service.spec.selector ?? {} };
  return client
    .list(PODS, { namespace })
    .filter(
      (pod) =>
        matchesLabelSelector(selector, pod.metadata.labels) &&
        ((pod.status?.podIP ?? "") !== "" || (pod.status?.podIPs ?? []).length > 0) &&
        !isFinished(pod),
    );
}

/** The pod's addresses of the address family of Services. */
export function addressesOf({ status }: Pod): string[] {
  return (status?.podIPs ?? []).map(({ ip }) => ip).filter((ip) => isIP(ip) === 4);
}

/** The ports of the Service on the pod; a named port that the pod lacks is left out. */
export function resolvePorts(service: Service, pod: Pod): ResolvedPort[] {
  return (service.spec.ports ?? []).flatMap((port) => {
    const number = targetOf(port, pod);
    if (number === undefined) return [];
    return [
      {
        name: port.name ?? "",
        port: number,
        protocol: port.protocol ?? "TCP",
        ...present({ appProtocol: port.appProtocol }),
      },
    ];
  });
}

function targetOf(
  { targetPort, port, protocol = "TCP" }: ServicePort,
  pod: Pod,
): number | undefined {
  if (targetPort === undefined) return port;
  if (typeof targetPort === "number") return targetPort;
  const sidecars = (pod.spec.initContainers ?? []).filter(
    ({ restartPolicy }) => restartPolicy === "Always",
  );
  for (const { ports = [] } of [...(pod.spec.containers ?? []), ...sidecars]) {
    const found = ports.find(
      (one) => one.name === targetPort && (one.protocol ?? "TCP") === protocol,
    );
    if (found?.containerPort !== undefined) return found.containerPort;
  }
  return undefined;
}

/** The host name of the pod in DNS, when it has one in this Service's domain. */
export function hostnameOf(service: Service, pod: Pod): string | undefined {
  const { hostname, subdomain } = pod.spec;
  return hostname && subdomain === service.metadata.name ? hostname : undefined;
}
