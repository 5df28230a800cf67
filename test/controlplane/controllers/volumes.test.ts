import { afterEach, describe, expect, it } from "vitest";
import { type SimulatedCluster, simulatedCluster } from "./simulated-cluster.ts";

const open: SimulatedCluster[] = [];
afterEach(() => {
  for (const cluster of open.splice(0)) cluster.stop();
});

async function started(): Promise<SimulatedCluster> {
  const cluster = await simulatedCluster();
  open.push(cluster);
  return cluster;
}

const claim = (storageClassName?: string): object => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    ...(storageClassName === undefined ? {} : { storageClassName }),
  },
});

const storageClass = (provisioner: string, volumeBindingMode: string): object => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "own" },
  provisioner,
  volumeBindingMode,
  reclaimPolicy: "Retain",
  allowVolumeExpansion: true,
});

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default" },
  spec: {
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
    containers: [{ name: "c", image: "x:1" }],
  },
};

const reasons = (cluster: SimulatedCluster): string[] =>
  cluster
    .list("events")
    .map((event) => event as unknown as { reason: string; involvedObject: { name: string } })
    .filter(({ involvedObject }) => involvedObject.name === "data")
    .map(({ reason }) => reason);

describe("Dynamic provisioning", () => {
  it("has a default class whose claims get their volume with their first pod", async () => {
    const cluster = await started();
    await cluster.create("persistentvolumeclaims", claim());
    await cluster.settle();
    const pending = cluster.get("persistentvolumeclaims", "data");
    expect(pending).toMatchObject({ spec: { storageClassName: "standard" } });
    expect(cluster.list("persistentvolumes")).toEqual([]);
    await cluster.create("pods", pod);
    await cluster.settle();
    const bound = cluster.get("persistentvolumeclaims", "data");
    expect(bound).toMatchObject({
      metadata: {
        annotations: {
          "volume.kubernetes.io/selected-node": "tsop-node",
          "volume.kubernetes.io/storage-provisioner": "tsop.dev/simulated",
        },
      },
      status: { phase: "Bound", capacity: { storage: "1Gi" } },
    });
    expect(cluster.get("pods", "p").status).toMatchObject({ phase: "Running" });
    expect(reasons(cluster)).toEqual(
      expect.arrayContaining([
        "WaitForFirstConsumer",
        "ExternalProvisioning",
        "Provisioning",
        "ProvisioningSucceeded",
      ]),
    );
  });

  it.each(["rancher.io/local-path", "kubernetes.io/aws-ebs", "ebs.csi.aws.com"])(
    "works for the provisioner %s",
    async (provisioner) => {
      const cluster = await started();
      await cluster.create("storageclasses.storage.k8s.io", storageClass(provisioner, "Immediate"));
      await cluster.create("persistentvolumeclaims", claim("own"));
      await cluster.settle();
      const { status, spec } = cluster.get("persistentvolumeclaims", "data");
      expect(status).toMatchObject({ phase: "Bound" });
      expect(cluster.get("persistentvolumes", spec.volumeName as string)).toMatchObject({
        metadata: { annotations: { "pv.kubernetes.io/provisioned-by": provisioner } },
        spec: { persistentVolumeReclaimPolicy: "Retain", storageClassName: "own" },
      });
    },
  );

  it("says which pods have no volume to bind where nobody provisions", async () => {
    const cluster = await started();
    await cluster.create(
      "storageclasses.storage.k8s.io",
      storageClass("kubernetes.io/no-provisioner", "WaitForFirstConsumer"),
    );
    await cluster.create("persistentvolumeclaims", claim("own"));
    await cluster.create("pods", pod);
    await cluster.settle();
    expect(cluster.get("pods", "p").status.conditions).toMatchObject([
      {
        type: "PodScheduled",
        message:
          "0/1 nodes are available: 1 node(s) didn't find available persistent volumes to bind. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
      },
    ]);
    await cluster.create("persistentvolumes", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "local" },
      spec: {
        capacity: { storage: "5Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "own",
        hostPath: { path: "/tmp/local" },
      },
    });
    await cluster.settle();
    expect(cluster.get("pods", "p").status).toMatchObject({ phase: "Running" });
  });
});

describe("A claim that asks for more", () => {
  const grow = async (cluster: SimulatedCluster): Promise<void> => {
    await cluster.client.patch(
      { group: "", plural: "persistentvolumeclaims" },
      { namespace: "default", name: "data" },
      { spec: { resources: { requests: { storage: "3Gi" } } } },
    );
    await cluster.settle();
  };

  it("gets it at once while a pod uses it", async () => {
    const cluster = await started();
    await cluster.create("persistentvolumeclaims", claim());
    await cluster.create("pods", pod);
    await cluster.settle();
    await grow(cluster);
    const { status, spec } = cluster.get("persistentvolumeclaims", "data");
    expect(status).toMatchObject({ capacity: { storage: "3Gi" } });
    expect(status.conditions).toMatchObject([{ type: "Unused", status: "False" }]);
    expect(cluster.get("persistentvolumes", spec.volumeName as string).spec).toMatchObject({
      capacity: { storage: "3Gi" },
    });
  });

  it("waits for a pod to grow the file system otherwise", async () => {
    const cluster = await started();
    await cluster.create("storageclasses.storage.k8s.io", storageClass("a.b/c", "Immediate"));
    await cluster.create("persistentvolumeclaims", claim("own"));
    await cluster.settle();
    await grow(cluster);
    expect(cluster.get("persistentvolumeclaims", "data").status).toMatchObject({
      capacity: { storage: "1Gi" },
      conditions: [
        { type: "Unused", status: "True" },
        { type: "FileSystemResizePending", status: "True" },
      ],
    });
    await cluster.create("pods", pod);
    await cluster.settle();
    expect(cluster.get("persistentvolumeclaims", "data").status).toMatchObject({
      capacity: { storage: "3Gi" },
    });
  });
});
