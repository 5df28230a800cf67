import { createManager, findCondition, mergePatch, type Client, type Manager } from "tsop";
import { Deployment, Pod } from "tsop/k8s";
import {
  clientFor,
  installOperator,
  silentLogger,
  startControlPlane,
  VirtualClock,
  type ControlPlane,
} from "tsop/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HelloWorld } from "../src/api/v1/helloworld.ts";
import { setUpHelloWorld } from "../src/controllers/helloworld-controller.ts";

const namespace = "default";
const key = { namespace, name: "hello" };
const template = {
  metadata: { labels: { greeting: "hello" } },
  spec: { containers: [{ name: "hello", image: "busybox:1.37" }] },
};

describe("HelloWorld", () => {
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
    setUpHelloWorld(manager);
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    stopOperator = async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
    };
    await client.create(HelloWorld, { metadata: key, spec: { replicas: 3, template } });
    await pass();
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

  const pods = () => client.list(Pod, { namespace, labels: { greeting: "hello" } });

  it("S0-06 has as many pods of its template as it asks for, and says when they are ready", async () => {
    const images = (await pods()).map(({ spec }) => spec?.containers[0]?.image);
    expect(images).toEqual(["busybox:1.37", "busybox:1.37", "busybox:1.37"]);
    const { status } = await client.get(HelloWorld, key);
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3 });
    expect(findCondition(status?.conditions, "Ready")?.status).toBe("True");
  });

  it("S0-06 has one pod when it asks for one, and another one when that is lost", async () => {
    await client.patch(HelloWorld, key, mergePatch({ spec: { replicas: 1 } }));
    await pass();
    const [first, ...others] = await pods();
    expect(first).toBeDefined();
    expect(others).toEqual([]);
    if (first) await client.delete(Pod, { namespace, name: first.metadata.name });
    await pass();
    const [second] = await pods();
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
    expect((await client.get(HelloWorld, key)).status?.readyReplicas).toBe(1);
  });

  it("S0-06 leaves nothing behind when it is deleted", async () => {
    await client.delete(HelloWorld, key);
    await pass();
    expect(await client.find(Deployment, key)).toBeUndefined();
    expect(await pods()).toEqual([]);
  });
});
