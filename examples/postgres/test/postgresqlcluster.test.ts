import { findCondition, mergePatch, removeFinalizer } from "tsop";
import { Job, PersistentVolumeClaim, Pod, Secret, Service } from "tsop/k8s";
import { faults, VirtualClock } from "tsop/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PostgreSQLCluster, type Bootstrap } from "../src/api/v1/postgresqlcluster.ts";
import { FENCE, MEMBER, ROLE } from "../src/controllers/members.ts";
import { createWorld, key, Operator, targetsOf, type World } from "./simulation.ts";

const { namespace } = key;
const MEMBERS = { "app.kubernetes.io/instance": key.name };

describe("PostgreSQLCluster", { timeout: 60_000 }, () => {
  let world: World;
  let operator: Operator;

  beforeEach(async () => {
    world = await createWorld(new VirtualClock({ startMs: Date.UTC(2026, 0, 1) }));
    operator = new Operator(faults(world.config, {}), world.nodes);
  });
  afterEach(async () => {
    operator.stop();
    await world.clock.advance(60_000);
    await operator.ended();
    await world[Symbol.asyncDispose]();
  });

  const pass = (minutes: number): Promise<void> => world.clock.advance(minutes * 60_000);

  async function create(
    bootstrap: Bootstrap = { initdb: { database: "myapp", owner: "myuser" } },
  ): Promise<void> {
    await world.client.create(PostgreSQLCluster, { metadata: key, spec: { bootstrap } });
    await pass(3);
  }

  const change = async (spec: object): Promise<void> => {
    await world.client.patch(PostgreSQLCluster, key, mergePatch({ spec }));
  };
  const ready = async () => {
    const { status } = await world.client.get(PostgreSQLCluster, key);
    return findCondition(status?.conditions, "Ready");
  };
  const pods = (role?: string) => {
    const labels = role === undefined ? MEMBERS : { ...MEMBERS, [ROLE]: role };
    return world.client.list(Pod, { namespace, labels: { ...labels } });
  };
  const names = async (role?: string): Promise<string[]> =>
    (await pods(role))
      .filter(({ metadata }) => metadata.labels?.[MEMBER])
      .map(({ metadata }) => metadata.name)
      .sort();
  const targets = (service: string): Promise<string[]> => targetsOf(world.client, service);

  it("S2-04 has a primary and two replicas, a Service for each, and a Secret for its owner", async () => {
    await create();
    expect(await ready()).toMatchObject({ status: "True" });
    expect(world.nodes.primaries).toEqual(["shop-1"]);
    expect(await targets("shop-rw")).toEqual(["shop-1"]);
    expect(await targets("shop-ro")).toEqual(["shop-2", "shop-3"]);
    expect(await world.client.find(Service, { namespace, name: "shop-rw" })).toBeDefined();
    const secret = await world.client.get(Secret, { namespace, name: "shop-owner" });
    expect(Object.keys(secret.data ?? {})).toEqual([
      "database",
      "host",
      "owner",
      "postgres",
      "username",
    ]);
    expect(await world.client.list(Job, { namespace })).toEqual([]);
  });

  it("says how the members are, and then what fails, while the primary cannot be promoted", async () => {
    operator.stop();
    await pass(1);
    operator = new Operator(faults(world.config, {}), {
      position: () => Promise.resolve(0),
      promote: () => Promise.reject(new Error("the exec in pod shop-1 was refused")),
    });
    await create();
    const { status } = await world.client.get(PostgreSQLCluster, key);
    expect(status).toMatchObject({ instances: 3, primary: { pod: "shop-1" } });
    expect(status?.readyInstances).toBeGreaterThan(0);
    expect(await ready()).toMatchObject({
      status: "False",
      reason: "Failed",
      message: "the exec in pod shop-1 was refused",
    });
  });

  it("S2-04 restarts the replicas one after the other, and the primary last, when a parameter changes", async () => {
    await create();
    const restarts: string[] = [];
    const end = world.cluster.onChange(({ type, resource, object }) => {
      const { name } = object.metadata;
      if (resource === "pods" && type === "DELETED" && name !== undefined) restarts.push(name);
      if (resource !== "pods" || type === "DELETED") return;
      // Whoever ends now, the others are there.
      expect(world.nodes.running.length).toBeGreaterThanOrEqual(2);
    });
    await change({ postgresql: { parameters: { max_connections: "200" } } });
    await pass(5);
    end();
    expect(restarts).toEqual(["shop-2", "shop-3", "shop-1"]);
    expect(await ready()).toMatchObject({ status: "True" });
    expect(world.nodes.primaries).not.toEqual(["shop-1"]);
    for (const pod of await pods()) {
      expect(pod.spec?.containers[0]?.command).toContain("max_connections=200");
    }
  });

  it("S2-04 grows from 3 to 5, and shrinks to 2, though one of those that go is the primary", async () => {
    await create();
    await change({ instances: 5 });
    await pass(3);
    expect(await names()).toEqual(["shop-1", "shop-2", "shop-3", "shop-4", "shop-5"]);
    // The one that is to go has most of the log.
    world.nodes.advanceLog("shop-5");
    world.nodes.crash("shop-1");
    await pass(3);
    expect(world.nodes.primaries).toEqual(["shop-5"]);

    await change({ instances: 2 });
    await pass(5);
    expect(await names()).toEqual(["shop-1", "shop-2"]);
    expect(world.nodes.primaries).toHaveLength(1);
    expect(await targets("shop-rw")).toEqual(world.nodes.primaries);
    const claims = await world.client.list(PersistentVolumeClaim, { namespace });
    expect(claims.map(({ metadata }) => metadata.name).sort()).toEqual(["shop-1", "shop-2"]);
  });

  it("S2-03 promotes the replica with most of the log when the primary is lost, and the Service follows", async () => {
    await create();
    world.nodes.advanceLog("shop-3");
    world.nodes.crash("shop-1");
    await pass(2);
    expect(world.nodes.primaries).toEqual(["shop-3"]);
    expect(await names("primary")).toEqual(["shop-3"]);
    expect(await targets("shop-rw")).toEqual(["shop-3"]);
    expect(await targets("shop-ro")).toEqual(["shop-1", "shop-2"]);
    expect(await ready()).toMatchObject({ status: "True" });
  });

  it("S2-03 promotes nobody while a primary that is cut off may accept writes, and says what to do", async () => {
    await create();
    const node = world.nodes.nodeOf("shop-1");
    world.nodes.set(node, "cut off");
    await pass(30);
    expect(world.nodes.primaries).toEqual(["shop-1"]);
    const waiting = await ready();
    expect(waiting).toMatchObject({ status: "False", reason: "Fencing" });
    expect(waiting?.message).toContain(
      `kubectl taint node ${node} node.kubernetes.io/out-of-service`,
    );

    world.nodes.set(node, "off");
    await world.nodes.takeOutOfService(node);
    await pass(3);
    expect(world.nodes.primaries).not.toContain("shop-1");
    expect(world.nodes.primaries).toHaveLength(1);
    expect(await targets("shop-rw")).toEqual(world.nodes.primaries);
    expect(world.nodes.violations).toEqual([]);
  });

  it("S2-03 is not deceived by a pod that is deleted by force: its object stays until it has ended", async () => {
    await create();
    world.nodes.set(world.nodes.nodeOf("shop-1"), "cut off");
    await world.client.delete(Pod, { namespace, name: "shop-1" }, { gracePeriodSeconds: 0 });
    await pass(30);
    expect(world.nodes.primaries).toEqual(["shop-1"]);
    expect(world.nodes.violations).toEqual([]);
  });

  it("has two primaries when somebody takes the finalizer away from a pod that runs: the model would notice", async () => {
    await create();
    world.nodes.set(world.nodes.nodeOf("shop-1"), "cut off");
    const lost = await world.client.get(Pod, { namespace, name: "shop-1" });
    await removeFinalizer(world.client, Pod, lost, FENCE);
    await world.client.delete(Pod, { namespace, name: "shop-1" }, { gracePeriodSeconds: 0 });
    await pass(5);
    expect(world.nodes.primaries).toHaveLength(2);
    expect(world.nodes.violations).not.toEqual([]);
  });

  it("keeps its primary when the object is restored from a file, without its status", async () => {
    await create();
    await world.client.status.patch(await world.client.get(PostgreSQLCluster, key), {
      primary: null,
    });
    await change({ postgresql: { parameters: {} } });
    await pass(2);
    const { status } = await world.client.get(PostgreSQLCluster, key);
    expect(status?.primary?.pod).toBe("shop-1");
    expect(world.nodes.promotions).toBe(1);
  });

  it("S1-08 begins with the data of a backup where one is named", async () => {
    await world.client.create(PostgreSQLCluster, {
      metadata: key,
      spec: { bootstrap: { recovery: { from: "https://backups.example.com/shop.tar" } } },
    });
    await world.clock.advance(100);
    const job = await world.client.get(Job, { namespace, name: "shop-bootstrap" });
    const [container] = job.spec?.template.spec?.containers ?? [];
    expect(container?.env).toContainEqual({
      name: "BACKUP",
      value: "https://backups.example.com/shop.tar",
    });
    expect(container?.command?.at(-1)).toContain('wget -O - "$BACKUP"');
    expect(await names()).toEqual([]);
    await pass(3);
    expect(world.nodes.primaries).toEqual(["shop-1"]);
    expect(await names()).toEqual(["shop-1", "shop-2", "shop-3"]);
  });

  it("leaves nothing behind when it is deleted", async () => {
    await create();
    await world.client.delete(PostgreSQLCluster, key);
    await pass(3);
    expect(await world.client.find(PostgreSQLCluster, key)).toBeUndefined();
    expect(await pods()).toEqual([]);
    expect(await world.client.list(PersistentVolumeClaim, { namespace })).toEqual([]);
    expect(await world.client.find(Secret, { namespace, name: "shop-owner" })).toBeUndefined();
    expect(world.nodes.running).toEqual([]);
  });
});
