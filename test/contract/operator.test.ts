// Objects are plain JSON; the classes of kinds are never instantiated.
/* eslint-disable @typescript-eslint/no-unsafe-class-instance-assignment, @typescript-eslint/no-misused-spread */
/** The runtime against the embedded control plane, over TLS: an operator from its start to its end. */
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from "vitest";
import {
  controllerFor,
  createManager,
  isNotFound,
  keyOf,
  loadClusterConfig,
  metadataOf,
  type Manager,
  type Token,
} from "../../src/index.ts";
import { ConfigMap, CustomResourceDefinition, Deployment, Service } from "../../src/k8s.ts";
import {
  clientFor,
  eventually,
  silentLogger,
  startControlPlane,
  type ControlPlane,
} from "../../src/testing.ts";
import { SelectorError } from "../../src/kube/selector.ts";
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

describe("the client on the embedded control plane", () => {
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane({ controllers: "off" });
  });

  afterAll(async () => {
    await cluster.stop();
  });

  it("finds nothing where nothing is, and says when the kind itself is missing", async () => {
    const client = clientFor(cluster);
    const key = { namespace: "default", name: "none" };
    expect(await client.find(ConfigMap, key)).toBeUndefined();
    await expect(client.get(ConfigMap, key)).rejects.toSatisfy(isNotFound);
    await expect(client.find(MyWeb, key)).rejects.toThrow("is its CRD installed?");
  });

  it("keeps only the metadata where no more is wanted", async () => {
    const manager = createManager({
      config: loadClusterConfig({ kubeconfigText: cluster.kubeconfig }),
      log: silentLogger,
      cache: { namespaces: ["default"] },
    });
    const heard: string[] = [];
    controllerFor(manager)
      .named("names")
      .watches(metadataOf(ConfigMap), (object) => [keyOf(object)])
      .complete({
        async reconcile({ key }) {
          const object = await manager.client.find(metadataOf(ConfigMap), key);
          heard.push(
            `${object?.kind ?? "none"} ${Object.keys(object ?? {})
              .sort()
              .join(" ")}`,
          );
        },
      });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    const key = { namespace: "default", name: "large" };
    await clientFor(cluster).create(ConfigMap, { metadata: key, data: { page: "x" } });
    await clientFor(cluster).create(ConfigMap, { metadata: { ...key, namespace: "kube-system" } });
    await eventually(() => {
      expect(heard).toContain("ConfigMap apiVersion kind metadata");
    });
    expect(await manager.client.list(metadataOf(ConfigMap))).toHaveLength(1);
    const live = await manager.client.live.get(metadataOf(ConfigMap), key);
    expect(Object.keys(live).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    expect(await manager.client.get(ConfigMap, key)).toHaveProperty("data");
    stop.abort();
    await running;
    await clientFor(cluster).deleteAllOf(ConfigMap, { namespace: "default" });
  });

  it("T48: an object that leaves the cache's selection is gone for the operator, and only for it", async () => {
    const manager = createManager({
      config: loadClusterConfig({ kubeconfigText: cluster.kubeconfig }),
      log: silentLogger,
      cache: { labelSelectors: { configmaps: "app=web" } },
    });
    const heard: string[] = [];
    controllerFor(manager)
      .for(ConfigMap)
      .complete({
        async reconcile({ key }, { causes }) {
          const there = (await manager.client.find(ConfigMap, key)) ? "there" : "gone";
          heard.push(`${key.name} ${there}: ${causes.map((cause) => cause.split(" ")[0]).join()}`);
        },
      });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await manager.cache.synced();
    const metadata = { namespace: "default", name: "labelled", labels: { app: "web" } };
    await manager.client.create(ConfigMap, { metadata });
    await manager.client.create(ConfigMap, { metadata: { namespace: "default", name: "other" } });
    expect(await manager.client.list(ConfigMap)).toHaveLength(1);
    await eventually(() => {
      expect(heard).toEqual(["labelled there: create"]);
    });
    await clientFor(cluster).update(ConfigMap, { metadata: { ...metadata, labels: {} } });
    await eventually(() => {
      expect(heard).toEqual(["labelled there: create", "labelled gone: delete"]);
    });
    expect(await manager.client.live.find(ConfigMap, metadata)).toBeDefined();

    // Another selection of the running cache: what is in it now comes, what is not any more goes.
    heard.length = 0;
    manager.cache.setLabelSelector(ConfigMap, "app!=web");
    await eventually(() => {
      expect(heard).toContain("other there: create");
      expect(heard).toContain("labelled there: create");
    });
    heard.length = 0;
    manager.cache.setLabelSelector(ConfigMap, "app=web");
    await eventually(() => {
      expect(heard.toSorted()).toEqual(
        expect.arrayContaining(["labelled gone: delete", "other gone: delete"]),
      );
    });
    expect(await manager.client.list(ConfigMap)).toEqual([]);
    expect(() => {
      manager.cache.setLabelSelector(ConfigMap, "app=(");
    }).toThrow(SelectorError);
    stop.abort();
    await running;
    await clientFor(cluster).deleteAllOf(ConfigMap, { namespace: "default" });
  });

  it("learns plurals and scopes from the server", async () => {
    const client = clientFor(cluster);
    expect(await client.dynamic("apps/v1", "Deployment")).toMatchObject({
      plural: "deployments",
      namespaced: true,
    });
    await expect(client.dynamic("apps/v1", "Deploymant")).rejects.toMatchObject({
      code: "kind-not-served",
    });
  });

  it("lists page by page, and by labels", async () => {
    const client = clientFor(cluster);
    const names = Array.from({ length: 12 }, (_, index) => `page-${index}`);
    for (const [index, name] of names.entries()) {
      const labels = { parity: index % 2 === 0 ? "even" : "odd" };
      await client.create(ConfigMap, { metadata: { name, namespace: "default", labels } });
    }
    const even = await client.list(ConfigMap, { namespace: "default", labels: { parity: "even" } });
    expect(even.length).toBe(6);
    expect(even[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    await client.deleteAllOf(ConfigMap, { namespace: "default", labels: "parity in (odd)" });
    expect((await client.list(ConfigMap, { labels: "parity" })).length).toBe(6);
  });
});
