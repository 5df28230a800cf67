/**
 * Subsets of Endpoints in their canonical form: ports of the same addresses share a subset.
 *
 * Pure.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/service-resources/endpoints-v1/
 */
import type { Endpoint } from "../../../generated/k8s/discovery-v1.ts";
import type { SentObject } from "../../../kube/object.ts";
import { present } from "../../../present.ts";
import type { ResourceName } from "../../resource-name.ts";
import { canonicalJson } from "../../../kube/canonical-json.ts";
import { type EndpointPort, sortedByHash } from "./service-pods.ts";

/** An address and its target. */
export type EndpointAddress = Pick<Endpoint, "hostname" | "nodeName" | "targetRef"> & {
  ip: string;
};

/** Addresses that all offer the same ports. */
export interface Subset {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
}

export interface Endpoints extends SentObject {
  subsets?: Subset[];
}

export const ENDPOINTS: ResourceName<Endpoints> = { group: "", plural: "endpoints" };

/** The most addresses in one object. */
const CAPACITY = 1000;

interface Offer {
  readonly port: EndpointPort | undefined;
  /** Whether an address is ready at this port, by address and uid. */
  readonly ready: Map<string, boolean>;
}

/**
 * The same endpoints, one subset for each set of addresses. An address that is listed as both ready
 * and not ready is not ready.
 */
export function repackSubsets(subsets: readonly Subset[]): Subset[] {
  const addresses = new Map<string, EndpointAddress>();
  const offers = new Map<string, Offer>();
  for (const { addresses: ready = [], notReadyAddresses = [], ports = [] } of subsets) {
    for (const port of ports.length > 0 ? ports : [undefined]) {
      const id = canonicalJson(port ?? null);
      const offer = offers.get(id) ?? { port, ready: new Map<string, boolean>() };
      offers.set(id, offer);
      const add = (address: EndpointAddress, isReady: boolean): void => {
        const key = idOf(address);
        if (!addresses.has(key)) addresses.set(key, address);
        offer.ready.set(key, isReady && offer.ready.get(key) !== false);
      };
      for (const address of ready) add(address, true);
      for (const address of notReadyAddresses) add(address, false);
    }
  }
  const packed = new Map<string, { ready: Offer["ready"]; ports: EndpointPort[] }>();
  for (const { port, ready } of offers.values()) {
    const id = canonicalJson([...ready].sort(([a], [b]) => (a < b ? -1 : 1)));
    const known = packed.get(id) ?? { ready, ports: [] };
    if (port) known.ports.push(port);
    packed.set(id, known);
  }
  return [...packed.values()].map(({ ready, ports }) => {
    const chosen = (wanted: boolean): EndpointAddress[] =>
      [...addresses]
        .filter(([key]) => ready.get(key) === wanted)
        .map(([, address]) => address)
        .sort(byAddress);
    const [good, bad] = [chosen(true), chosen(false)];
    return {
      ...(good.length > 0 ? { addresses: good } : {}),
      ...(bad.length > 0 ? { notReadyAddresses: bad } : {}),
      ...(ports.length > 0 ? { ports: sortedByHash(ports, printed) } : {}),
    };
  });
}

/** The subsets with at most 1000 addresses in total, ready ones first; `undefined` when there are no more than that. */
export function truncated(subsets: readonly Subset[]): Subset[] | undefined {
  const sum = (list: "addresses" | "notReadyAddresses"): number =>
    subsets.reduce((total, subset) => total + (subset[list]?.length ?? 0), 0);
  const ready = sum("addresses");
  const notReady = sum("notReadyAddresses");
  if (ready + notReady <= CAPACITY) return undefined;
  const cut = ready > CAPACITY ? "addresses" : "notReadyAddresses";
  const [room, total] = ready > CAPACITY ? [CAPACITY, ready] : [CAPACITY - ready, notReady];
  let left = room;
  return subsets.map((subset) => {
    const { [cut]: list = [], addresses, ports } = subset;
    // Each subset keeps its share, rounded up; the last ones may get less.
    const kept = list.slice(0, Math.min(left, Math.ceil((list.length / total) * room)));
    left -= kept.length;
    const others = cut === "addresses" ? { ports } : { addresses, ports };
    return present({ ...others, [cut]: kept.length > 0 ? kept : undefined });
  });
}

const idOf = ({ ip, targetRef }: EndpointAddress): string => `${ip} ${targetRef?.uid ?? ""}`;

const byAddress = (left: EndpointAddress, right: EndpointAddress): number =>
  idOf(left) < idOf(right) ? -1 : 1;

const printed = ({ name = "", port, protocol = "", appProtocol = "<nil>" }: EndpointPort): string =>
  `(v1.EndpointPort){Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} AppProtocol:(*string)${appProtocol}}`;
