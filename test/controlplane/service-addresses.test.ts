import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/clock.ts";
import type { Cluster } from "../../src/controlplane/server/cluster/cluster.ts";
import { followServices } from "../../src/controlplane/service-addresses.ts";
import { Store } from "../../src/controlplane/store/store.ts";
import type { SentObject } from "../../src/kube/object.ts";

const ADDRESSES = "ipaddresses.networking.k8s.io";

function service(name: string, ...clusterIPs: string[]): SentObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default", uid: name },
    spec: clusterIPs.length === 0 ? {} : { clusterIPs },
  } as SentObject;
}

/** A store whose Services are followed, and the names of the addresses in it. */
function follow(store = new Store()): { store: Store; addresses: () => (string | undefined)[] } {
  followServices({ store, clock: systemClock } as Cluster);
  return { store, addresses: () => store.list(ADDRESSES).map(({ metadata }) => metadata.name) };
}

describe("the addresses of Services", () => {
  it("have an object that says whose they are", () => {
    const { store } = follow();
    store.put("services", service("a", "10.96.0.7"));
    expect(store.get(ADDRESSES, "10.96.0.7")).toMatchObject({
      kind: "IPAddress",
      metadata: {
        labels: {
          "ipaddress.kubernetes.io/ip-family": "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
        managedFields: [{ manager: "kube-apiserver", operation: "Update" }],
      },
      spec: { parentRef: { resource: "services", namespace: "default", name: "a" } },
    });
  });

  it("come and go with the Service, and with its address", () => {
    const { store, addresses } = follow();
    store.put("services", service("a", "10.96.0.7"));
    store.put("services", service("b", "None"));
    store.put("services", service("c"));
    expect(addresses()).toEqual(["10.96.0.7"]);
    store.put("services", service("a"));
    store.put("services", service("c", "10.96.0.8"));
    expect(addresses()).toEqual(["10.96.0.8"]);
    store.remove("services", "default/c");
    expect(addresses()).toEqual([]);
  });

  it("stay the same object while the Service changes", () => {
    const { store } = follow();
    store.put("services", service("a", "10.96.0.7"));
    const before = store.get(ADDRESSES, "10.96.0.7");
    store.put("services", { ...service("a", "10.96.0.7"), status: {} } as SentObject);
    expect(store.get(ADDRESSES, "10.96.0.7")).toBe(before);
  });

  it("of Services from before have one, too", () => {
    const store = new Store();
    store.restore("services", { ...service("a", "10.96.0.7") });
    expect(follow(store).addresses()).toEqual(["10.96.0.7"]);
  });
});
