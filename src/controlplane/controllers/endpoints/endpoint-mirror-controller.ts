/**
 * Hand-written Endpoints of a Service without selector, mirrored into EndpointSlices.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#services-without-selectors
 */
import type { Service } from "../../builtin/kinds/core/service/shape.ts";
import { keyFrom } from "../keys.ts";
import { ENDPOINTS } from "./endpoint-subsets.ts";
import { ENDPOINT_SLICES } from "./endpoint-slice-plan.ts";
import { SERVICES } from "../../builtin/tokens.ts";
import { controllerReference } from "../ownership.ts";
import { canonicalJson } from "../template-hash.ts";
import { Controller, watch } from "../controller.ts";
import type { Endpoint } from "../../../generated/k8s/discovery-v1.ts";
import type { EndpointSlice } from "./endpoint-slice-plan.ts";
import type { EndpointAddress, Endpoints } from "./endpoint-subsets.ts";
import { present } from "../../../present.ts";

const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const MANAGER = "endpointslicemirroring-controller.k8s.io";
const SERVICE_NAME = "kubernetes.io/service-name";
const SKIP = "endpointslice.kubernetes.io/skip-mirror";
const LEADER = "control-plane.alpha.kubernetes.io/leader";

/** Keeps one slice for each subset and address family. */
export class EndpointMirrorController extends Controller {
  readonly name = "EndpointMirror";
  readonly watches = [
    watch(ENDPOINTS),
    watch(SERVICES),
    watch(ENDPOINT_SLICES, ({ object: { metadata } }) => {
      const { namespace = "", labels = {} } = metadata;
      return labels[MANAGED_BY] === MANAGER ? [`${namespace}/${labels[SERVICE_NAME] ?? ""}`] : [];
    }),
  ];

  async sync(key: string): Promise<undefined> {
    const { namespace, name } = keyFrom(key);
    const service = this.client.find(SERVICES, { namespace, name });
    const endpoints = this.client.find(ENDPOINTS, { namespace, name });
    const slices = this.client.list(ENDPOINT_SLICES, {
      namespace,
      labels: { [MANAGED_BY]: MANAGER, [SERVICE_NAME]: name },
    });
    const mirrored = endpoints && service && isMirrored(endpoints, service);
    const wanted = mirrored ? slicesFor(endpoints) : [];
    const spare = [...slices];
    for (const slice of wanted) {
      const at = spare.findIndex((one) => contentOf(one) === contentOf(slice));
      if (at >= 0) spare.splice(at, 1);
      else {
        const index = spare.findIndex(({ addressType }) => addressType === slice.addressType);
        const [old] = index < 0 ? [] : spare.splice(index, 1);
        if (old) {
          const metadata = { ...old.metadata, labels: slice.metadata.labels ?? {} };
          await this.client.update(ENDPOINT_SLICES, { ...slice, metadata });
        } else await this.client.create(ENDPOINT_SLICES, slice);
      }
    }
    for (const { metadata } of spare) {
      await this.client.remove(ENDPOINT_SLICES, metadata);
    }
  }
}

function isMirrored({ metadata }: Endpoints, { spec }: Service): boolean {
  return (
    Object.keys(spec.selector ?? {}).length === 0 &&
    metadata.labels?.[SKIP] !== "true" &&
    metadata.annotations?.[LEADER] === undefined &&
    !metadata.deletionTimestamp
  );
}

const contentOf = ({ addressType, endpoints, ports, metadata }: EndpointSlice): string =>
  canonicalJson([addressType, endpoints ?? [], ports ?? [], metadata.labels]);

function slicesFor(owner: Endpoints): EndpointSlice[] {
  const { name = "", namespace = "", labels, annotations = {} } = owner.metadata;
  const copied = { ...annotations };
  delete copied["endpoints.kubernetes.io/last-change-trigger-time"];
  delete copied["kubectl.kubernetes.io/last-applied-configuration"];
  return (owner.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    (["IPv4", "IPv6"] as const).flatMap((family): EndpointSlice[] => {
      const fits = ({ ip }: EndpointAddress): boolean => ip.includes(":") === (family === "IPv6");
      const endpoints = [
        ...addresses.filter(fits).map((address) => endpointOf(address, true)),
        ...notReadyAddresses.filter(fits).map((address) => endpointOf(address, false)),
      ];
      if (endpoints.length === 0) return [];
      return [
        {
          apiVersion: "discovery.k8s.io/v1",
          kind: "EndpointSlice",
          metadata: {
            generateName: `${name}-`,
            namespace,
            labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: MANAGER },
            ...(Object.keys(copied).length > 0 ? { annotations: copied } : {}),
            ownerReferences: [controllerReference(owner)],
          },
          addressType: family,
          endpoints,
          ports: ports.map((port) => ({
            name: port.name ?? "",
            port: port.port,
            protocol: port.protocol ?? "TCP",
            ...present({ appProtocol: port.appProtocol }),
          })),
        },
      ];
    }),
  );
}

const endpointOf = (
  { ip, hostname, nodeName, targetRef }: EndpointAddress,
  ready: boolean,
): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...present({ hostname, nodeName, targetRef }),
});
