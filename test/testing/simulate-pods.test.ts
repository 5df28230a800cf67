import { describe, expect, it, onTestFinished } from "vitest";
import { keyOf, mergePatch } from "../../src/index.ts";
import { Job, Pod } from "../../src/k8s.ts";
import { clientFor, simulatePods, startControlPlane, VirtualClock } from "../../src/testing.ts";

const namespace = "default";

async function start() {
  const clock = new VirtualClock();
  const cluster = await startControlPlane({ clock, listen: false });
  onTestFinished(() => cluster.stop());
  const client = clientFor(cluster);
  const jobOf = async (name: string, labels: Record<string, string> = { app: name }) => {
    await client.create(Job, {
      metadata: { namespace, name },
      spec: {
        backoffLimit: 0,
        template: {
          metadata: { labels },
          spec: { restartPolicy: "Never", containers: [{ name: "main", image: "backup:1" }] },
        },
      },
    });
    await cluster.settle();
  };
  const statusOf = async (name: string) =>
    (await client.get(Job, { namespace, name })).status ?? {};
  return { clock, cluster, client, jobOf, statusOf };
}

describe("simulatePods", () => {
  it("lets pods of a Job fail that the test did not make, and no others", async () => {
    const { cluster, jobOf, statusOf } = await start();
    await simulatePods(cluster, { labels: { app: "broken" } }, "fail:3");
    await jobOf("broken");
    await jobOf("well");
    expect(await statusOf("broken")).toMatchObject({ failed: 1 });
    expect(await statusOf("well")).toMatchObject({ succeeded: 1 });
  });

  it("counts what was said last of the same pods, and ends when it is removed", async () => {
    const { cluster, jobOf, statusOf } = await start();
    const pods = { namespace, labels: { app: "a" } };
    await simulatePods(cluster, pods, "fail");
    const script = await simulatePods(cluster, pods, "run");
    await jobOf("one", { app: "a" });
    expect(await statusOf("one")).toMatchObject({ active: 1 });
    await script.remove();
    await jobOf("two", { app: "a" });
    expect(await statusOf("two")).toMatchObject({ succeeded: 1 });
  });

  it("means all pods of a namespace, or of the cluster, without labels", async () => {
    const { cluster, jobOf, statusOf } = await start();
    const elsewhere = await simulatePods(cluster, { namespace: "kube-public" }, "fail");
    await jobOf("here");
    expect(await statusOf("here")).toMatchObject({ succeeded: 1 });
    await elsewhere.remove();
    await simulatePods(cluster, {}, "fail");
    await jobOf("anywhere");
    expect(await statusOf("anywhere")).toMatchObject({ failed: 1 });
  });

  it("lets a pod end when its annotation is taken away", async () => {
    const { cluster, client, jobOf, statusOf } = await start();
    await simulatePods(cluster, { labels: { app: "long" } }, "run");
    await jobOf("long");
    const pods = await client.list(Pod, { namespace, labels: { app: "long" } });
    expect(pods.map(({ status }) => status?.phase)).toEqual(["Running"]);
    const patch = mergePatch({ metadata: { annotations: { "tsop.dev/simulate": null } } });
    for (const pod of pods) await client.patch(Pod, keyOf(pod), patch);
    await cluster.settle();
    expect(await statusOf("long")).toMatchObject({ succeeded: 1 });
  });
});
