import { afterEach, describe, expect, it } from "vitest";
import { ATTRIBUTES_CLASSES, CLAIMS, VOLUMES } from "../../../src/controlplane/builtin/tokens.ts";
import { type SimulatedCluster, simulatedCluster } from "./simulated-cluster.ts";

const open: SimulatedCluster[] = [];
afterEach(() => {
  for (const cluster of open.splice(0)) cluster.stop();
});

async function start(): Promise<SimulatedCluster> {
  const cluster = await simulatedCluster("no-kubelet");
  open.push(cluster);
  return cluster;
}

const claim = (name: string, spec: object = {}): object => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "default" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    storageClassName: "",
    ...spec,
  },
});

describe("ClaimProtectionController", () => {
  it("keeps a claim that a scheduled pod uses until the pod is gone", async () => {
    const cluster = await start();
    await cluster.create("persistentvolumeclaims", claim("data"));
    await cluster.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "default" },
      spec: {
        nodeName: "n",
        containers: [{ name: "c", image: "x:1" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
      },
    });
    const key = { namespace: "default", name: "data" };
    await cluster.client.remove(CLAIMS, key);
    await cluster.settle();
    expect(cluster.client.find(CLAIMS, key)?.metadata.deletionTimestamp).toBeDefined();
    const pod = { namespace: "default", name: "p" };
    await cluster.client.remove({ group: "", plural: "pods" }, pod, { gracePeriodSeconds: 0 });
    await cluster.settle();
    expect(cluster.client.find(CLAIMS, key)).toBeUndefined();
  });
});

describe("AttributesClassProtectionController", () => {
  it("keeps a class that a claim or a volume names", async () => {
    const cluster = await start();
    await cluster.create("volumeattributesclasses.storage.k8s.io", {
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttributesClass",
      metadata: { name: "gold" },
      driverName: "simulated.example.com",
      parameters: { iops: "1000" },
    });
    const user = claim("data", { volumeAttributesClassName: "gold" });
    await cluster.create("persistentvolumeclaims", user);
    await cluster.create("persistentvolumes", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "disk" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        csi: { driver: "simulated.example.com", volumeHandle: "1" },
        storageClassName: "other",
        volumeAttributesClassName: "gold",
      },
    });
    await cluster.client.remove(ATTRIBUTES_CLASSES, { name: "gold" });
    await cluster.settle();
    const found = (): unknown => cluster.client.find(ATTRIBUTES_CLASSES, { name: "gold" });
    expect(found()).toMatchObject({ metadata: { finalizers: ["kubernetes.io/vac-protection"] } });
    await cluster.client.remove(CLAIMS, { namespace: "default", name: "data" });
    await cluster.settle();
    expect(found()).toBeDefined();
    await cluster.client.remove(VOLUMES, { name: "disk" });
    await cluster.settle();
    expect(found()).toBeUndefined();
  });
});
