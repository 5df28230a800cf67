/**
 * Which pods stand behind a Service and on which ports, as Endpoints and EndpointSlices both show it.
 *
 * @module
 */
import { isIP } from "node:net";
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Service, ServicePort } from "../../builtin/kinds/core/service/shape.ts";
import type { ControllerClient, StoreEvent } from "../client.ts";
import { concerns, textOf } from "../keys.ts";
import { NODES, PODS, SERVICES } from "../../builtin/tokens.ts";
import { isFinished, isReady } from "../pods/pods.ts";
import { present } from "../../../present.ts";

const HEADLESS = "service.kubernetes.io/headless";

/** A port of a Service as one pod has it. */
export interface ResolvedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** Whether the controllers make endpoints for it: it selects pods and has an address of its own. */
export function hasEndpoints(service: Service): boolean {
  return service.spec.selector !== undefined && service.spec.type !== "ExternalName";
}

/** The Services that a new node or a change of a pod concerns; what of a pod endpoints do not show concerns none. */
export function* servicesOf(client: ControllerClient, event: StoreEvent): Generator<string> {
  if (concerns(event, SERVICES)) yield textOf(event.object);
  if (concerns(event, PODS)) {
    const pod = event.object;
    const old = event.old;
    const isChanged = !old || event.type !== "MODIFIED" || showsOtherwise(old, pod);
    for (const found of client.list(SERVICES, { namespace: pod.metadata.namespace ?? "" })) {
      const service = found;
      if (!hasEndpoints(service)) continue;
      const selector = { matchLabels: service.spec.selector ?? {} };
      const is = matchesLabelSelector(selector, pod.metadata.labels);
      const was = old ? matchesLabelSelector(selector, old.metadata.labels) : is;
      if (is !== was || (is && isChanged)) yield textOf(service);
    }
  }
  if (concerns(event, NODES) && event.type === "ADDED") {
    for (const service of client.list(SERVICES)) yield textOf(service);
  }
}

function showsOtherwise(old: Pod, pod: Pod): boolean {
  const ips = ({ status }: Pod): string => (status?.podIPs ?? []).map(({ ip }) => ip).join();
  return (
    pod.metadata.deletionTimestamp !== undefined ||
    isReady(old) !== isReady(pod) ||
    ips(old) !== ips(pod)
  );
}

/** The label of the endpoints of a Service without an address; none for others. */
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

/** The pods that a Service selects and that have an address, leaving ones too, by name. */
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

/** The pod's addresses of the family that Services have. */
export function addressesOf({ status }: Pod): string[] {
  return (status?.podIPs ?? []).map(({ ip }) => ip).filter((ip) => isIP(ip) === 4);
}

/** The ports that the pod offers for the Service; a named port that it lacks is left out. */
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

/** The host name under which DNS knows the pod, when it has one in this Service's domain. */
export function hostnameOf(service: Service, pod: Pod): string | undefined {
  const { hostname, subdomain } = pod.spec;
  return hostname && subdomain === service.metadata.name ? hostname : undefined;
}
