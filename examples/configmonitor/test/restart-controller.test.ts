import { createManager, mergePatch, type Client, type ClusterConfig, type Manager } from "tsop";
import { ConfigMap, Deployment, Event, Pod } from "tsop/k8s";
import {
  clientFor,
  installOperator,
  silentLogger,
  startControlPlane,
  VirtualClock,
  type ControlPlane,
} from "tsop/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hashAnnotation, RESTARTS, setUpRestarts } from "../src/controllers/restart-controller.ts";

const namespace = "default";

describe("a ConfigMap that restarts pods", () => {
  let clock: VirtualClock;
  let cluster: ControlPlane;
  let client: Client;
  let config: ClusterConfig;
  let manager: Manager;
  let stopOperator: () => Promise<void>;

  beforeEach(async () => {
    clock = new VirtualClock();
    cluster = await startControlPlane({ clock, listen: false });
    client = clientFor(cluster);
    config = await installOperator(cluster); // The rights of the operator, and no more.
    startOperator();
  });

  afterEach(async () => {
    await stopOperator();
    await cluster.stop();
  });

  function startOperator(): void {
    manager = createManager({ config, log: silentLogger });
    setUpRestarts(manager);
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    stopOperator = async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
    };
  }

  /** Waits until neither the operator nor the cluster has anything left to do. */
  async function settle(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      await manager.idle();
      await cluster.settle();
    }
  }

  async function createConfig(name: string, restarts: string): Promise<void> {
    await client.create(ConfigMap, {
      metadata: { namespace, name, annotations: { [RESTARTS]: restarts } },
      data: { MSG: "one" },
    });
    await settle();
  }

  async function changeConfig(name: string, MSG: string): Promise<void> {
    await client.patch(ConfigMap, { namespace, name }, mergePatch({ data: { MSG } }));
  }

  async function createDeployment(name: string, labels: Record<string, string>): Promise<void> {
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "a" }] } };
    await client.create(Deployment, {
      metadata: { namespace, name },
      spec: { selector: { matchLabels: labels }, template },
    });
    await settle();
  }

  const podsOf = async (labels: Record<string, string>) =>
    (await client.list(Pod, { namespace, labels })).map(({ metadata }) => metadata.name);

  it("restarts exactly the pods that its selector means, all of whose labels fit", async () => {
    await createConfig("page", "app=frontend,tier=web");
    await createDeployment("frontend", { app: "frontend", tier: "web" });
    await createDeployment("cache", { app: "frontend", tier: "cache" });
    const [frontend, cache] = [await podsOf({ tier: "web" }), await podsOf({ tier: "cache" })];
    await changeConfig("page", "two");
    await settle();
    expect(await podsOf({ tier: "web" })).toHaveLength(1);
    expect(await podsOf({ tier: "web" })).not.toEqual(frontend);
    expect(await podsOf({ tier: "cache" })).toEqual(cache);
  });

  it("restarts for a change that was made while the operator was down, and for nothing else", async () => {
    await createConfig("page", "app=frontend");
    await createDeployment("frontend", { app: "frontend" });
    const first = await podsOf({ app: "frontend" });
    await stopOperator();
    startOperator();
    await settle();
    expect(await podsOf({ app: "frontend" })).toEqual(first);

    await stopOperator();
    await changeConfig("page", "two");
    startOperator();
    await settle();
    expect(await podsOf({ app: "frontend" })).not.toEqual(first);
  });

  it("serves two ConfigMaps with the same pods", async () => {
    await createConfig("page", "app=frontend");
    await createConfig("theme", "app=frontend");
    await createDeployment("frontend", { app: "frontend" });
    const deployment = { namespace, name: "frontend" };
    const hashes = async () => {
      const { spec } = await client.get(Deployment, deployment);
      const annotations = spec?.template.metadata?.annotations ?? {};
      return ["page", "theme"].map((name) => annotations[hashAnnotation(name)]);
    };
    const before = await hashes();
    await changeConfig("theme", "two");
    await settle();
    const after = await hashes();
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });

  it("tells of an annotation that is not a selector, and restarts nothing", async () => {
    await createDeployment("frontend", { app: "frontend" });
    const pods = await podsOf({ app: "frontend" });
    await createConfig("page", "app in frontend");
    const events = await client.list(Event, { namespace });
    expect(events.filter(({ reason }) => reason === "BadSelector")).toHaveLength(1);
    expect(await podsOf({ app: "frontend" })).toEqual(pods);
  });
});
