/** Operators as the texts have them: behind a proxy, with a definition of their own, in a cache that is cut off. */
import { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { Server, Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import {
  controllerFor,
  createClient,
  createManager,
  loadClusterConfig,
  mergePatch,
  type Manager,
  type ResourceType,
} from "../../src/index.ts";
import { ConfigMap, CustomResourceDefinition, Namespace, Secret } from "../../src/k8s.ts";
import { clientFor, eventually, silentLogger, startControlPlane } from "../../src/testing.ts";
import { event, list, watchWidgets, widget } from "../runtime/support/widgets.ts";
import { hasKubectl, Kubectl } from "../support/kubectl.ts";

const HELLOWORLD: ResourceType = {
  group: "myapp.example.com",
  version: "v1",
  kind: "HelloWorld",
  plural: "helloworlds",
  namespaced: true,
};
const HELLOWORLD_CRD = fileURLToPath(
  new URL(
    "../../examples/helloworld/config/crd/bases/myapp.example.com_helloworlds.yaml",
    import.meta.url,
  ),
);

/** Starts a manager; what is returned ends it. */
function start(manager: Manager): () => Promise<void> {
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  return async () => {
    stop.abort();
    await running;
  };
}

describe.skipIf(!hasKubectl)("an operator behind kubectl proxy", () => {
  it("S1-06 reads, watches and writes over plain HTTP, in its namespace alone", async () => {
    await using cluster = await startControlPlane();
    const admin = clientFor(cluster);
    const kubectl = new Kubectl(cluster.kubeconfig);
    let end = (): Promise<void> => Promise.resolve();
    try {
      const said = await kubectl.start(["proxy", "--port=0"]).waitFor(/serve on \S+:\d+/);
      const server = `http://${/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? ""}`;
      const kubeconfigText = stringify({
        "current-context": "proxy",
        contexts: [{ name: "proxy", context: { cluster: "proxy", user: "nobody" } }],
        clusters: [{ name: "proxy", cluster: { server } }],
        users: [{ name: "nobody", user: {} }],
      });
      const config = loadClusterConfig({ kubeconfigText });
      const manager = createManager({
        config,
        cache: { namespaces: ["shop"] },
        log: silentLogger,
      });
      const { client } = manager;
      controllerFor(manager)
        .for(ConfigMap)
        .owns(Secret)
        .complete({
          async reconcile({ key }) {
            const source = await client.find(ConfigMap, key);
            if (source?.metadata.labels?.["copied"] !== "yes") return;
            const copy = { metadata: key, stringData: { ...source.data } };
            await client.apply(Secret, copy, { owner: source });
          },
        });
      end = start(manager);
      await admin.create(Namespace, { metadata: { name: "shop" } });
      const labels = { copied: "yes" };
      for (const namespace of ["default", "shop"]) {
        const metadata = { namespace, name: "settings", labels };
        await admin.create(ConfigMap, { metadata, data: { MSG: "one" } });
      }
      const key = { namespace: "shop", name: "settings" };
      const message = async (): Promise<string> =>
        Buffer.from((await admin.get(Secret, key)).data?.["MSG"] ?? "", "base64").toString();
      await eventually(async () => {
        expect(await message()).toBe("one");
      });
      await admin.patch(ConfigMap, key, mergePatch({ data: { MSG: "two" } }));
      await eventually(async () => {
        expect(await message()).toBe("two");
      });
      expect(await admin.list(Secret, { namespace: "default" })).toEqual([]);
    } finally {
      await end();
      kubectl.close();
    }
  });
});

it("S1-08 installs its definition at its start, and its watches begin when that is established", async () => {
  await using cluster = await startControlPlane();
  const config = loadClusterConfig({ kubeconfigText: cluster.kubeconfig });
  const manager = createManager({ config, log: silentLogger });
  const seen: string[] = [];
  controllerFor(manager)
    .for(HELLOWORLD)
    .complete({
      reconcile: ({ key }) => {
        seen.push(key.name);
        return Promise.resolve();
      },
    });
  const crd = parse(readFileSync(HELLOWORLD_CRD, "utf8")) as Parameters<
    typeof manager.client.apply<CustomResourceDefinition>
  >[1];
  await manager.client.apply(CustomResourceDefinition, crd);
  const end = start(manager);
  try {
    const client = createClient(config);
    const pod = { spec: { containers: [{ name: "hello", image: "busybox:1.37" }] } };
    await eventually(() =>
      client.create(HELLOWORLD, {
        metadata: { namespace: "default", name: "hello" },
        spec: { replicas: 1, template: pod },
      }),
    );
    await eventually(() => {
      expect(seen).toContain("hello");
    });
    expect(manager.cache.health().flatMap(({ problem }) => problem ?? [])).toEqual([]);
  } finally {
    await end();
  }
});

it("S0-12 has lost no object and repeated none after 10,000 watches that were cut off", async () => {
  const cuts = 10_000;
  const { clock, informer, told, stored, requests, end } = watchWidgets([
    list(1, widget("w0", 1)),
    ...Array.from({ length: cuts }, (_, at) => ({
      stream: [event(at < 10 ? "ADDED" : "MODIFIED", widget(`w${(at + 1) % 11}`, at + 2))],
      then: "reset" as const,
    })),
    { stream: [], then: "hang" },
  ]);
  while (requests().length < cuts + 2) await clock.advance(60_000);
  expect(informer.state).toBe("synced");
  expect(requests().filter((one) => one.startsWith("LIST"))).toHaveLength(1);
  expect(told).toHaveLength(cuts + 1);
  const versions = told.map((line) => Number(/(\d+)$/.exec(line)?.[1]));
  expect(versions).toEqual(Array.from({ length: cuts + 1 }, (_, at) => at + 1));
  const last = versions.slice(-11).map((version) => `w${(version - 1) % 11}@${version}`);
  expect(stored()).toEqual(last.sort());
  await end();
});

it("S2-09 has a whole control plane in its own process, without a socket or another process", async () => {
  const opened = [
    vi.spyOn(Server.prototype, "listen"),
    vi.spyOn(Socket.prototype, "connect"),
    vi.spyOn(ChildProcess.prototype as ChildProcess & { spawn(): void }, "spawn"),
  ];
  try {
    await using cluster = await startControlPlane({ listen: false });
    const client = clientFor(cluster);
    await client.create(Namespace, { metadata: { name: "shop" } });
    await cluster.settle();
    const key = { namespace: "shop", name: "kube-root-ca.crt" };
    expect(await client.find(ConfigMap, key)).toBeDefined();
    expect(opened.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
  } finally {
    for (const spy of opened) spy.mockRestore();
  }
});
