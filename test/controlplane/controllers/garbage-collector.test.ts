import { afterEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import { ConfigMap, Namespace, Pod, Secret, ServiceAccount } from "../../../src/k8s.ts";
import { clientFor } from "../../../src/testing.ts";

let cluster: ControlPlane | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

const owner = (kind: string, name: string, uid: string) => ({
  apiVersion: "v1",
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

describe("the garbage collector", () => {
  it("ends a circle of owners whose first one is deleted in the foreground", async () => {
    const clock = new VirtualClock();
    cluster = await startControlPlane({ clock });
    const client = clientFor(cluster);
    await cluster.settle();
    const names = ["pod1", "pod2", "pod3"];
    const uids = new Map<string, string>();
    for (const name of names) {
      const metadata = { name, namespace: "default" };
      const spec = { containers: [{ name: "main", image: "main" }] };
      const made = await client.create(Pod, { metadata, spec });
      uids.set(name, made.metadata.uid);
    }
    for (const [index, name] of names.entries()) {
      const above = names[(index + 2) % 3] ?? "";
      const ownerReferences = [owner("Pod", above, uids.get(above) ?? "")];
      const pod = await client.get(Pod, { name, namespace: "default" });
      await client.update(Pod, { ...pod, metadata: { ...pod.metadata, ownerReferences } });
    }
    await cluster.settle();
    await client.delete(
      Pod,
      { name: "pod1", namespace: "default" },
      { propagationPolicy: "Foreground" },
    );
    for (let seconds = 0; seconds < 120; seconds += 10) {
      await cluster.settle();
      await clock.advance(10_000);
    }
    await cluster.settle();
    expect(cluster.objects("pods", "default").map(({ metadata }) => metadata.name)).toEqual([]);
  });

  it("tells of a cluster-scoped object whose owner is in a namespace, and keeps it", async () => {
    cluster = await startControlPlane({ clock: new VirtualClock() });
    const client = clientFor(cluster);
    const { metadata } = await client.create(ConfigMap, {
      metadata: { name: "owner", namespace: "default" },
    });
    const ownerReferences = [owner("ConfigMap", "owner", metadata.uid)];
    await client.create(Namespace, { metadata: { name: "owned", ownerReferences } });
    await cluster.settle();
    expect(cluster.objects("namespaces").map((one) => one.metadata.name)).toContain("owned");
    const events = cluster.objects("events", "default") as readonly {
      reason?: string;
      message?: string;
    }[];
    expect(events.filter(({ reason }) => reason === "OwnerRefInvalidNamespace")).toMatchObject([
      {
        message: `ownerRef [v1/ConfigMap, namespace: , name: owner, uid: ${metadata.uid}] does not exist in namespace ""`,
      },
    ]);
  });
});

describe("a Secret with a token", () => {
  it("is filled in by kube-controller-manager, as its managed fields say", async () => {
    cluster = await startControlPlane({ clock: new VirtualClock() });
    const client = clientFor(cluster);
    await client.create(ServiceAccount, { metadata: { name: "robot", namespace: "default" } });
    await client.create(Secret, {
      metadata: {
        name: "robot-token",
        namespace: "default",
        annotations: { "kubernetes.io/service-account.name": "robot" },
      },
      type: "kubernetes.io/service-account-token",
    });
    await cluster.settle();
    const secret = await client.get(Secret, { name: "robot-token", namespace: "default" });
    expect(Object.keys(secret.data ?? {}).toSorted()).toEqual(["ca.crt", "namespace", "token"]);
    const managers = secret.metadata.managedFields?.map(({ manager }) => manager);
    expect(managers).toContain("kube-controller-manager");
    expect(managers).not.toContain("tokens-controller");
  });
});
