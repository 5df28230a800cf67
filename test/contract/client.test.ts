/** The client and its cache on an API server, over TLS: what the embedded control plane and a real one have in common. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SelectorError } from "../../src/kube/selectors/selector.ts";
import {
  cacheOf,
  controllerFor,
  createManager,
  isNotFound,
  keyOf,
  metadataOf,
  type Client,
  type ClusterConfig,
} from "../../src/index.ts";
import { ConfigMap } from "../../src/k8s.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually as within } from "../support/eventually.ts";
import { MyWeb } from "./myweb.ts";
import { connect, TARGETS, type Target } from "./targets.ts";

/** A real cluster may be busy with others. */
const eventually = <T>(step: () => T | Promise<T>): Promise<T> =>
  within(step, { timeoutMs: 30_000 });
/** What the controllers of a real one put into each namespace. */
const ROOT_CA = "kube-root-ca.crt";

describe.each(TARGETS)("the client on %s", (_, kubeconfig) => {
  let target: Target;
  let config: ClusterConfig;
  let client: Client;
  let namespace: string;
  let other: string;

  beforeAll(async () => {
    target = await connect(kubeconfig);
    ({ config, client } = target);
    [namespace, other] = target.namespaces;
  });

  afterAll(async () => {
    await target.end();
  });

  it("finds nothing where nothing is, and says when the kind itself is missing", async () => {
    const key = { namespace, name: "none" };
    expect(await client.find(ConfigMap, key)).toBeUndefined();
    await expect(client.get(ConfigMap, key)).rejects.toSatisfy(isNotFound);
    await expect(client.find(MyWeb, key)).rejects.toThrow("is its CRD installed?");
  });

  it("keeps only the metadata where no more is wanted", async () => {
    const manager = createManager({
      config,
      log: silentLogger,
      cache: { namespaces: [namespace] },
    });
    const heard: string[] = [];
    controllerFor(manager)
      .named("names")
      .watches(metadataOf(ConfigMap), { map: (object) => [keyOf(object)] })
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
    const key = { namespace, name: "large" };
    await client.create(ConfigMap, { metadata: key, data: { page: "x" } });
    await client.create(ConfigMap, { metadata: { ...key, namespace: other } });
    await eventually(() => {
      expect(heard).toContain("ConfigMap apiVersion kind metadata");
    });
    const cached = await manager.client.list(metadataOf(ConfigMap));
    expect(cached.map(({ metadata }) => metadata.name).filter((name) => name !== ROOT_CA)).toEqual([
      "large",
    ]);
    const live = await manager.client.live.get(metadataOf(ConfigMap), key);
    expect(Object.keys(live).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    expect(await manager.client.get(ConfigMap, key)).toHaveProperty("data");
    stop.abort();
    await running;
    await client.deleteAllOf(ConfigMap, { namespace });
  });

  it("T48: an object that leaves the cache's selection is gone for the operator, and only for it", async () => {
    const manager = createManager({
      config,
      log: silentLogger,
      cache: { namespaces: [namespace], kinds: [cacheOf(ConfigMap, { labels: "app=web" })] },
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
    const metadata = { namespace, name: "labelled", labels: { app: "web" } };
    await manager.client.create(ConfigMap, { metadata });
    await manager.client.create(ConfigMap, { metadata: { namespace, name: "other" } });
    expect(await manager.client.list(ConfigMap)).toHaveLength(1);
    await eventually(() => {
      expect(heard).toEqual(["labelled there: create"]);
    });
    const labelled = await client.get(ConfigMap, metadata);
    labelled.metadata.labels = {};
    await client.update(ConfigMap, labelled);
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
    await client.deleteAllOf(ConfigMap, { namespace });
  });

  it("learns plurals and scopes from the server", async () => {
    expect(await client.dynamic("apps/v1", "Deployment")).toMatchObject({
      plural: "deployments",
      namespaced: true,
    });
    await expect(client.dynamic("apps/v1", "Deploymant")).rejects.toMatchObject({
      code: "kind-not-served",
    });
  });

  it("lists page by page, and by labels", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `page-${index}`);
    for (const [index, name] of names.entries()) {
      const labels = { parity: index % 2 === 0 ? "even" : "odd" };
      await client.create(ConfigMap, { metadata: { name, namespace, labels } });
    }
    const even = await client.list(ConfigMap, { namespace, labels: { parity: "even" } });
    expect(even.length).toBe(6);
    expect(even[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    await client.deleteAllOf(ConfigMap, { namespace, labels: "parity in (odd)" });
    expect((await client.list(ConfigMap, { namespace, labels: "parity" })).length).toBe(6);
  });
});
