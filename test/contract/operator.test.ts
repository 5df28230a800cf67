// Objects are plain JSON; the classes of kinds are never instantiated.
/* eslint-disable @typescript-eslint/no-unsafe-class-instance-assignment, @typescript-eslint/no-misused-spread */
/** The runtime against the embedded control plane, over TLS: an operator from its start to its end. */
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from "vitest";
import { createManager, loadClusterConfig, type Manager, type Token } from "../../src/index.ts";
import { ConfigMap, CustomResourceDefinition, Deployment, Service } from "../../src/k8s.ts";
import {
  clientFor,
  eventually,
  silentLogger,
  startControlPlane,
  type ControlPlane,
} from "../../src/testing.ts";
import { isReady, MyWeb, MYWEB_CRD, setUpMyWeb } from "./myweb.ts";

describe("an operator on the embedded control plane", () => {
  let cluster: ControlPlane;
  let manager: Manager;
  let stop: AbortController;
  let running: Promise<void>;

  beforeAll(async () => {
    cluster = await startControlPlane();
  });

  afterAll(async () => {
    await cluster.stop();
  });

  beforeEach(() => {
    stop = new AbortController();
    manager = createManager({
      config: loadClusterConfig({ kubeconfigText: cluster.kubeconfig }),
      log: silentLogger,
      health: { port: 0, host: "127.0.0.1" },
    });
    setUpMyWeb(manager);
    running = manager.start(stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await running;
  });

  const readyz = async (): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`http://127.0.0.1:${String(manager.ports.health)}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };

  it("waits for its CRD, says so, and goes on when it appears", async () => {
    await eventually(async () => {
      const { status, text } = await readyz();
      expect(status).toBe(500);
      expect(text).toContain("mywebs.operator.k8s-summit.org is not served: install its CRD");
    });
    await clientFor(cluster).create(CustomResourceDefinition, MYWEB_CRD);
    await eventually(async () => {
      expect((await readyz()).status).toBe(200);
    });
  });

  it("makes what an object asks for, follows its changes, and reads from the cache", async () => {
    const client = clientFor(cluster);
    const key = { namespace: "default", name: "one" };
    await client.create(MyWeb, {
      metadata: key,
      spec: { image: "nginx:1.27", pageContentHtml: "<p>one</p>" },
    });
    await eventually(async () => {
      expect(isReady(await client.get(MyWeb, key))).toBe(true);
    });
    const deployment = await client.get(Deployment, key);
    expect(deployment.metadata.ownerReferences).toMatchObject([
      { kind: "MyWeb", name: "one", controller: true, blockOwnerDeletion: true },
    ]);
    expect(
      deployment.metadata.managedFields?.map(({ manager, operation }) => [manager, operation]),
    ).toContainEqual(["tsop", "Apply"]);

    const cached = await manager.client.get(ConfigMap, key);
    expect(Object.isFrozen(cached.data)).toBe(true);
    expect(cached.metadata.managedFields).toBeUndefined();

    const web = await client.get(MyWeb, key);
    await client.update(MyWeb, { ...web, spec: { ...web.spec, pageContentHtml: "<p>two</p>" } });
    await eventually(async () => {
      const { data } = await client.get(ConfigMap, key);
      expect(data?.["index.html"]).toBe("<p>two</p>");
    });
  });

  it("mends what somebody else breaks, and loses nothing when connections are cut", async () => {
    const client = clientFor(cluster);
    const key = { namespace: "default", name: "one" };
    await eventually(() => {
      expect(manager.cache.health().every(({ synced }) => synced)).toBe(true);
    });
    cluster.dropConnections();
    await eventually(() => client.delete(Service, key));
    await eventually(async () => {
      expect(await client.find(Service, key)).toBeDefined();
    });
  });

  it("lets what it made be collected with its owner", async () => {
    const client = clientFor(cluster);
    const key = { namespace: "default", name: "one" };
    await client.delete(MyWeb, key);
    await eventually(async () => {
      for (const token of [Deployment, Service, ConfigMap] satisfies Token[]) {
        expect(await client.find(token as Token, key)).toBeUndefined();
      }
    });
  });

  it("says which rule is missing when it has no rights", async () => {
    const config = loadClusterConfig({
      kubeconfigText: cluster.kubeconfigFor({ user: "nobody-special" }),
    });
    const powerless = createManager({ config, log: silentLogger });
    setUpMyWeb(powerless);
    const end = new AbortController();
    const ended = powerless.start(end.signal);
    await eventually(() => {
      const denied = powerless.cache.health().find(({ resource }) => resource.startsWith("mywebs"));
      expect(denied?.synced).toBe(false);
      expect(denied?.problem).toContain(
        '@Rbac({ groups: ["operator.k8s-summit.org"], resources: ["mywebs"], verbs: ["get", "list", "watch"] })',
      );
    });
    end.abort();
    await ended;
  });
});
