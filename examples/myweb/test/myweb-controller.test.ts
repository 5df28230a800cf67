import { createManager, findCondition, mergePatch, type Client } from "tsop";
import { ConfigMap, Deployment, Pod, Service } from "tsop/k8s";
import {
  clientFor,
  eventually,
  installOperator,
  silentLogger,
  startControlPlane,
  type ControlPlane,
} from "tsop/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MyWeb, type MyWebSpec } from "../src/api/v1/myweb.ts";
import { PAGE_HASH } from "../src/controllers/children.ts";
import { setUpMyWeb } from "../src/controllers/myweb-controller.ts";

const namespace = "default";

// Longer than the `eventually` timeout, so that a failure shows its last error.
describe("MyWeb", { timeout: 20_000 }, () => {
  const stop = new AbortController();
  let cluster: ControlPlane;
  let client: Client;
  let running: Promise<void>;

  beforeAll(async () => {
    cluster = await startControlPlane({ listen: false });
    const config = await installOperator(cluster); // The CRDs; and the rights of @Rbac, no more.
    const manager = createManager({ config, log: silentLogger });
    setUpMyWeb(manager);
    running = manager.start(stop.signal);
    client = clientFor(cluster);
  });

  afterAll(async () => {
    stop.abort();
    await running;
    await cluster.stop();
  });

  const create = (name: string, spec: Partial<MyWebSpec>): Promise<MyWeb> =>
    client.create(MyWeb, {
      metadata: { namespace, name },
      spec: { pageContentHtml: "<h1>Hello</h1>", ...spec },
    });

  const untilReady = (name: string, status: "True" | "False"): Promise<MyWeb> =>
    eventually(async () => {
      const web = await client.get(MyWeb, { namespace, name });
      expect(findCondition(web.status?.conditions, "Ready")?.status).toBe(status);
      expect(web.status?.observedGeneration).toBe(web.metadata.generation);
      return web;
    });

  it("serves the page on the port of every node", async () => {
    await create("hello", { nodePortNumber: 30100 });
    const web = await untilReady("hello", "True");
    expect(web.status).toMatchObject({ completed: true, readyReplicas: 1, nodePort: 30100 });
    expect(web.spec.image).toBe("nginx:1.27"); // the default of the CRD
    const page = await client.get(ConfigMap, { namespace, name: "hello" });
    expect(page.data).toEqual({ "index.html": "<h1>Hello</h1>" });
  });

  it("has a web server that is asked only while it serves, so that a roll drops no request", async () => {
    await create("steady", {});
    await untilReady("steady", "True");
    const { spec } = await client.get(Deployment, { namespace, name: "steady" });
    const [server] = spec?.template.spec?.containers ?? [];
    expect(server?.readinessProbe?.httpGet).toMatchObject({ path: "/", port: "http" });
    expect(server?.lifecycle?.preStop?.sleep).toEqual({ seconds: 5 });
    // The new pod first, then the old one.
    expect(spec?.strategy).toMatchObject({ type: "RollingUpdate" });
  });

  it("rolls the pods when the page is edited", async () => {
    await create("rolled", {});
    await untilReady("rolled", "True");
    const labels = { "app.kubernetes.io/instance": "rolled" };
    const [before] = await client.list(Pod, { namespace, labels });
    await client.patch(
      MyWeb,
      { namespace, name: "rolled" },
      mergePatch({ spec: { pageContentHtml: "<h1>New</h1>" } }),
    );
    await eventually(async () => {
      const pods = await client.list(Pod, { namespace, labels });
      expect(pods.map((pod) => pod.metadata.name)).not.toContain(before?.metadata.name);
      expect(pods[0]?.metadata.annotations?.[PAGE_HASH]).not.toBe(
        before?.metadata.annotations?.[PAGE_HASH],
      );
    });
  });

  it("says in a condition that a port is taken, and does not try again and again", async () => {
    await create("first", { nodePortNumber: 30200 });
    await untilReady("first", "True");
    await create("second", { nodePortNumber: 30200 });
    const web = await untilReady("second", "False");
    const condition = findCondition(web.status?.conditions, "Ready");
    expect(condition?.reason).toBe("NodePortRefused");
    expect(condition?.message).toContain("provided port is already allocated");
    // Its pods become ready all the same; after that nothing is written any more.
    const settled = await eventually(async () => {
      const latest = await client.get(MyWeb, { namespace, name: "second" });
      expect(latest.status?.readyReplicas).toBe(1);
      return latest;
    });
    await client.apply(ConfigMap, { metadata: { namespace, name: "second", labels: { a: "b" } } });
    await cluster.settle();
    const later = await client.get(MyWeb, { namespace, name: "second" });
    expect(later.metadata.resourceVersion).toBe(settled.metadata.resourceVersion);
  });

  it("gets back what someone changed by hand", async () => {
    await create("kept", {});
    await untilReady("kept", "True");
    const key = { namespace, name: "kept" };
    await client.patch(ConfigMap, key, mergePatch({ data: { "index.html": "defaced" } }));
    await eventually(async () => {
      const page = await client.get(ConfigMap, key);
      expect(page.data?.["index.html"]).toBe("<h1>Hello</h1>");
    });
  });

  it("leaves nothing behind when it is deleted", async () => {
    await create("gone", {});
    await untilReady("gone", "True");
    const key = { namespace, name: "gone" };
    await client.delete(MyWeb, key);
    await eventually(async () => {
      for (const kind of [ConfigMap, Deployment, Service]) {
        expect(await client.find<ConfigMap | Deployment | Service>(kind, key)).toBeUndefined();
      }
      const labels = { "app.kubernetes.io/instance": "gone" };
      expect(await client.list(Pod, { namespace, labels })).toEqual([]);
    });
  });
});
