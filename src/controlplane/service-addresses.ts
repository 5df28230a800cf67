/**
 * The IPAddress objects of the addresses of Services.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/ip-address-v1/
 */
import type { SentObject } from "../kube/object.ts";
import type { Service } from "./builtin/kinds/core/service/shape.ts";
import { SERVICES } from "./builtin/tokens.ts";
import { collectionOf } from "./resource-name.ts";
import { isChangeIn } from "./store/change.ts";
import { ServerWriter } from "./server-writer.ts";
import type { Cluster } from "./server/cluster/cluster.ts";

const STORED_SERVICES = collectionOf(SERVICES);
const ADDRESSES = "ipaddresses.networking.k8s.io";
/** `clusterIP` of a Service without an address. */
const HEADLESS = "None";

/**
 * Creates the IPAddress of each address of a Service, and deletes it with the Service, or when the
 * Service no longer has the address.
 */
export function followServices(cluster: Cluster): void {
  const { store } = cluster;
  for (const service of store.list(STORED_SERVICES)) note(cluster, service, addressesOf(service));
  store.subscribe((change) => {
    if (!isChangeIn(change, STORED_SERVICES)) return;
    const { type, object, old } = change;
    const now = type === "DELETED" ? [] : addressesOf(object);
    const before = old ? addressesOf(old) : [];
    const added = now.filter((address) => !before.includes(address));
    if (added.length > 0) note(cluster, object, added);
    for (const address of before) {
      if (!now.includes(address)) store.remove(ADDRESSES, address);
    }
  });
}

function addressesOf({ spec }: Service): readonly string[] {
  const { clusterIPs = [] } = spec;
  return clusterIPs.filter((address) => address !== HEADLESS);
}

function note(cluster: Cluster, service: SentObject, addresses: readonly string[]): void {
  const writer = new ServerWriter(cluster);
  const { namespace, name } = service.metadata;
  for (const address of addresses) {
    writer.add(ADDRESSES, {
      apiVersion: "networking.k8s.io/v1",
      kind: "IPAddress",
      metadata: {
        name: address,
        labels: {
          "ipaddress.kubernetes.io/ip-family": address.includes(":") ? "IPv6" : "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
      },
      spec: { parentRef: { resource: SERVICES.plural, namespace, name } },
    });
  }
}
