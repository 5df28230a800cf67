import { createManager, findCondition, mergePatch, type Client, type Manager } from "tsop";
import { CronJob, Job, PersistentVolumeClaim, Pod, StatefulSet } from "tsop/k8s";
import {
  clientFor,
  installOperator,
  silentLogger,
  simulatePods,
  startControlPlane,
  VirtualClock,
  type ControlPlane,
} from "tsop/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SampleDB } from "../src/api/v1/sampledb.ts";
import { PART } from "../src/controllers/children.ts";
import { setUpSampleDB } from "../src/controllers/sampledb-controller.ts";

const namespace = "default";
const key = { namespace, name: "shop" };

describe("SampleDB", () => {
  let clock: VirtualClock;
  let cluster: ControlPlane;
  let client: Client;
  let manager: Manager;
  let stopOperator: () => Promise<void>;

  beforeEach(async () => {
    clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 1, 12) });
    cluster = await startControlPlane({ clock, listen: false });
    client = clientFor(cluster);
    const config = await installOperator(cluster); // The CRD, and the rights of the operator.
    manager = createManager({ config, log: silentLogger });
    setUpSampleDB(manager);
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    stopOperator = async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
    };
  });

  afterEach(async () => {
    await stopOperator();
    await cluster.stop();
  });

  /** Some minutes pass, in which the operator and the cluster do what they have to do. */
  const pass = async (minutes: number): Promise<void> => {
    await clock.advance(minutes * 60_000);
    await cluster.settle();
    await manager.idle();
  };

  async function create(): Promise<void> {
    await client.create(SampleDB, { metadata: key, spec: { backup: { to: "s3://backups/shop" } } });
    await pass(2);
  }

  const upgradeTo = async (version: string): Promise<void> => {
    await client.patch(SampleDB, key, mergePatch({ spec: { version } }));
    await pass(2);
  };

  const status = async () => (await client.get(SampleDB, key)).status;
  const condition = async (type: string) => findCondition((await status())?.conditions, type);
  const image = async () =>
    (await client.get(StatefulSet, key)).spec?.template.spec?.containers[0]?.image;

  /** Lets the pods of a part work on until `finish` is called. */
  async function hold(part: string): Promise<{ finish(): Promise<void> }> {
    const labels = { [PART]: part };
    await simulatePods(cluster, { labels }, "run");
    return {
      async finish() {
        const patch = mergePatch({ metadata: { annotations: { "tsop.dev/simulate": null } } });
        for (const pod of await client.list(Pod, { namespace, labels })) {
          await client.patch(Pod, { namespace, name: pod.metadata.name }, patch);
        }
        await pass(2);
      },
    };
  }

  it("has storage, a server and its first data before the first backup", async () => {
    const init = await hold("init");
    await create();
    expect((await client.get(StatefulSet, key)).status?.readyReplicas).toBe(1);
    expect((await client.get(PersistentVolumeClaim, key)).status?.phase).toBe("Bound");
    const ready = await condition("Ready");
    expect(ready?.status).toBe("False");
    expect(ready?.message).toContain("Waits for Job default/shop-init");
    expect(await client.find(CronJob, key)).toBeUndefined();

    await init.finish();
    expect((await condition("Ready"))?.status).toBe("True");
    expect((await status())?.version).toBe("16");
    expect((await client.get(CronJob, key)).spec?.schedule).toBe("0 3 * * *");
    expect(await client.find(Job, { namespace, name: "shop-init" })).toBeUndefined();
  });

  it("is backed up every night, and says when that was last done", async () => {
    await create();
    await pass(24 * 60);
    expect((await status())?.lastBackup).toBe("2026-01-02T03:00:00Z");
  });

  it("upgrades its data before the server gets the new image", async () => {
    await create();
    const upgrade = await hold("upgrade");
    await upgradeTo("17");
    const job = await client.get(Job, { namespace, name: "shop-upgrade-17" });
    expect(job.spec?.template.spec?.containers[0]?.args).toContain("--from=16");
    expect(await image()).toMatch(/:16$/);

    await upgrade.finish();
    expect(await image()).toMatch(/:17$/);
    expect((await status())?.version).toBe("17");
    expect((await condition("Ready"))?.status).toBe("True");
  });

  it("is stalled, with its old server, when an upgrade fails", async () => {
    await create();
    await simulatePods(cluster, { labels: { [PART]: "upgrade" } }, "fail");
    await upgradeTo("17");
    expect(await condition("Stalled")).toMatchObject({ status: "True", reason: "JobFailed" });
    expect(await image()).toMatch(/:16$/);

    await client.patch(SampleDB, key, mergePatch({ spec: { version: "16" } }));
    await pass(2);
    expect((await condition("Ready"))?.status).toBe("True");
  });

  it("is backed up once more before it is deleted, and leaves nothing behind", async () => {
    await create();
    const backup = await hold("last-backup");
    await client.delete(SampleDB, key);
    await pass(10);
    expect(await client.find(StatefulSet, key)).toBeDefined();
    expect(await client.find(PersistentVolumeClaim, key)).toBeDefined();

    await backup.finish();
    expect(await client.find(SampleDB, key)).toBeUndefined();
    expect(await client.find(StatefulSet, key)).toBeUndefined();
    expect(await client.find(PersistentVolumeClaim, key)).toBeUndefined();
    expect(await client.list(Job, { namespace })).toEqual([]);
  });

  it("is not deleted while the last backup fails, unless its owner does without", async () => {
    await create();
    await simulatePods(cluster, { labels: { [PART]: "last-backup" } }, "fail");
    await client.delete(SampleDB, key);
    await pass(10);
    const failed = await condition("Failed");
    expect(failed?.status).toBe("True");
    expect(failed?.message).toContain("Job shop-last-backup failed");
    expect(await client.find(PersistentVolumeClaim, key)).toBeDefined();

    await client.patch(SampleDB, key, mergePatch({ spec: { backup: { beforeDeletion: false } } }));
    await pass(10);
    expect(await client.find(SampleDB, key)).toBeUndefined();
  });
});
