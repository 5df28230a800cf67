/**
 * Hand-written Endpoints of a Service without selector, mirrored into EndpointSlices.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#services-without-selectors
 */
import type { Endpoint } from "../../../generated/k8s/discovery-v1.ts";
import { present } from "../../../present.ts";
import type { Service } from "../../builtin/kinds/core/service/shape.ts";
import { SERVICES } from "../../builtin/tokens.ts";
import { Controller, watch } from "../framework/controller.ts";
import { keyFrom } from "../framework/keys.ts";
import {
  ENDPOINT_SLICES,
  type EndpointSlice,
  contentOf,
  newSlice,
  serviceKeys,
  sliceLabels,
} from "./endpoint-slice-plan.ts";
import { ENDPOINTS, type EndpointAddress, type Endpoints } from "./endpoint-subsets.ts";
import { withTriggerTime } from "./service-pods.ts";

const MANAGER = "endpointslicemirroring-controller.k8s.io";
const SKIP = "endpointslice.kubernetes.io/skip-mirror";
const LEADER = "control-plane.alpha.kubernetes.io/leader";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Keeps one slice for each subset and address family. */
export class EndpointMirrorController extends Controller {
  readonly name = "EndpointMirror";
  readonly watches = [
    watch(ENDPOINTS),
    watch(SERVICES),
    watch(ENDPOINT_SLICES, ({ object }) => serviceKeys(object, MANAGER)),
  ];

  async sync(key: string): Promise<undefined> {
    const { namespace, name } = keyFrom(key);
    const service = this.client.find(SERVICES, { namespace, name });
    const endpoints = this.client.find(ENDPOINTS, { namespace, name });
    const labels = sliceLabels(name, MANAGER);
    const spare = [...this.client.list(ENDPOINT_SLICES, { namespace, labels })];
    const take = (fits: (slice: EndpointSlice) => boolean): EndpointSlice | undefined => {
      const at = spare.findIndex(fits);
      return at < 0 ? undefined : spare.splice(at, 1)[0];
    };
    const mirrored = endpoints && service && isMirrored(endpoints, service);
    for (const slice of mirrored ? slicesFor(endpoints) : []) {
      if (take((one) => contentOf(one) === contentOf(slice))) continue;
      const old = take(({ addressType }) => addressType === slice.addressType);
      if (!old) await this.client.create(ENDPOINT_SLICES, slice);
      else {
        const metadata = { ...old.metadata, labels: slice.metadata.labels ?? {} };
        await this.client.update(ENDPOINT_SLICES, { ...slice, metadata });
      }
    }
    for (const { metadata } of spare) await this.client.remove(ENDPOINT_SLICES, metadata);
  }
}

const isMirrored = ({ metadata }: Endpoints, { spec }: Service): boolean =>
  Object.keys(spec.selector ?? {}).length === 0 &&
  metadata.labels?.[SKIP] !== "true" &&
  metadata.annotations?.[LEADER] === undefined &&
  !metadata.deletionTimestamp;

function slicesFor(owner: Endpoints): EndpointSlice[] {
  const { name = "", annotations } = owner.metadata;
  const labels = { ...owner.metadata.labels, ...sliceLabels(name, MANAGER) };
  // Neither of the two annotations that tell of the last write is true of the slice.
  const copied = withTriggerTime(annotations, undefined, { [LAST_APPLIED]: undefined });
  return (owner.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    ["IPv4", "IPv6"].flatMap((addressType) => {
      const fits = ({ ip }: EndpointAddress): boolean =>
        ip.includes(":") === (addressType === "IPv6");
      const endpoints = [
        ...addresses.filter(fits).map((address) => endpointOf(address, true)),
        ...notReadyAddresses.filter(fits).map((address) => endpointOf(address, false)),
      ];
      if (endpoints.length === 0) return [];
      const slicePorts = ports.map((port) => ({ name: "", protocol: "TCP", ...port }));
      const slice = newSlice(owner, labels, { addressType, endpoints, ports: slicePorts });
      return [{ ...slice, metadata: { ...slice.metadata, ...copied } }];
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
