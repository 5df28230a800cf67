import { createManager, findCondition, mergePatch, type Client, type Manager } from "tsop";
import { Deployment, PersistentVolumeClaim, Pod, Service, StatefulSet } from "tsop/k8s";
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
import { MyApp } from "../src/api/v1/myapp.ts";
import { setUpMyApp } from "../src/controllers/myapp-controller.ts";

const namespace = "default";
const key = { namespace, name: "shop" };
const databaseKey = { namespace, name: "shop-database" };
const database = { enabled: true, storage: "10Gi" };

describe("MyApp", () => {
  let clock: VirtualClock;
  let cluster: ControlPlane;
  let client: Client;
  let manager: Manager;
  let stopOperator: () => Promise<void>;

  beforeEach(async () => {
    clock = new VirtualClock();
    cluster = await startControlPlane({ clock, listen: false });
    client = clientFor(cluster);
    const config = await installOperator(cluster); // The CRD, and the rights of the operator.
    manager = createManager({ config, log: silentLogger });
    setUpMyApp(manager);
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

  /** A minute passes, in which the operator and the cluster do what they have to do. */
  async function pass(): Promise<void> {
    await clock.advance(60_000);
    await cluster.settle();
    await manager.idle();
  }

  async function create(spec: Partial<MyApp["spec"]>): Promise<void> {
    await client.create(MyApp, { metadata: key, spec: { replicas: 3, version: "1.2.0", ...spec } });
    await pass();
  }

  async function change(spec: object): Promise<void> {
    await client.patch(MyApp, key, mergePatch({ spec }));
    await pass();
  }

  const status = async () => (await client.get(MyApp, key)).status;
  const images = async () => {
    const labels = { "app.kubernetes.io/component": "web" };
    const pods = await client.list(Pod, { namespace, labels });
    return pods.map(({ spec }) => spec?.containers[0]?.image);
  };

  it("S2-01 has pods and a Service, and no database where none is asked for", async () => {
    await create({});
    expect(await status()).toMatchObject({ phase: "Running", replicas: 3, readyReplicas: 3 });
    expect(await client.find(Service, key)).toBeDefined();
    expect(await client.find(StatefulSet, databaseKey)).toBeUndefined();
  });

  it("S2-01 starts when its database is ready, with the storage that was asked for", async () => {
    const labels = { "app.kubernetes.io/component": "database" };
    const simulation = await simulatePods(cluster, { labels }, "never-ready");
    await create({ database });
    expect(await client.find(Deployment, key)).toBeUndefined();
    expect(await status()).toMatchObject({ phase: "Progressing", readyReplicas: 0 });
    const waits = findCondition((await status())?.conditions, "Ready");
    expect(waits?.message).toContain("StatefulSet default/shop-database");

    await simulation.remove();
    await client.delete(Pod, { namespace, name: "shop-database-0" });
    await pass();
    expect(await status()).toMatchObject({ phase: "Running", readyReplicas: 3 });
    const [claim] = await client.list(PersistentVolumeClaim, { namespace });
    expect(claim?.spec?.resources?.requests?.["storage"]).toBe("10Gi");
  });

  it("S2-01 rolls its pods when the version changes", async () => {
    await create({});
    await change({ version: "1.3.0" });
    const image = "registry.example.com/myapp:1.3.0";
    expect(await images()).toEqual([image, image, image]);
    expect(await status()).toMatchObject({ phase: "Running", readyReplicas: 3 });
  });

  it("S2-01 loses its database and keeps the data when it is switched off", async () => {
    await create({ database });
    await change({ database: { enabled: false } });
    expect(await client.find(StatefulSet, databaseKey)).toBeUndefined();
    expect(await client.find(Service, databaseKey)).toBeUndefined();
    expect(await client.list(PersistentVolumeClaim, { namespace })).toHaveLength(1);
  });

  it("S2-01 leaves only the data behind when it is deleted", async () => {
    await create({ database });
    await client.delete(MyApp, key);
    await pass();
    expect(await client.list(Pod, { namespace })).toEqual([]);
    expect(await client.list(Deployment, { namespace })).toEqual([]);
    expect(await client.list(StatefulSet, { namespace })).toEqual([]);
    expect(await client.list(PersistentVolumeClaim, { namespace })).toHaveLength(1);
  });
});
