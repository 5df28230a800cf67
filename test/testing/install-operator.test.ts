/** What `installOperator` and `tsop dev` bring into a control plane: all that deploying would, whatever the project has. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { controllerFor, createManager, type ManagerOptions } from "../../src/index.ts";
import { Deployment, Lease, PodDisruptionBudget, Secret } from "../../src/k8s.ts";
import {
  clientFor,
  installOperator,
  silentLogger,
  startControlPlane,
  type ControlPlane,
} from "../../src/testing.ts";
import { eventually } from "../support/eventually.ts";
import { PARTS } from "../../src/cli/project/part-names.ts";
import { newProject, runCli } from "../cli/support/run-cli.ts";
import { useSources } from "../support/example.ts";

const DEPLOYMENTS = "create api --group apps --version v1 --kind Deployment --no-resource";

async function run(folder: string, command: string): Promise<string> {
  const { code, out, err } = await runCli(folder, command.split(" "));
  if (code !== 0) throw new Error(err);
  return out;
}

/** A project that has a controller of Deployments and no kind of its own. */
async function withoutKinds(...flags: string[]): Promise<string> {
  const folder = await newProject(...flags);
  await run(folder, DEPLOYMENTS);
  await run(folder, "manifests");
  expect(existsSync(join(folder, "config/crd"))).toBe(false);
  return folder;
}

async function controlPlane(): Promise<ControlPlane> {
  const cluster = await startControlPlane();
  onTestFinished(() => cluster.stop());
  return cluster;
}

/** Starts a manager that reconciles Deployments; what it does not log, its metrics count. */
function start(options: ManagerOptions) {
  const seen = new Set<string>();
  const manager = createManager({
    ...options,
    log: silentLogger,
    metrics: { port: 0, host: "127.0.0.1" },
  });
  controllerFor(manager)
    .for(Deployment)
    .complete({
      reconcile: ({ key }) => Promise.resolve(void seen.add(`${key.namespace}/${key.name}`)),
    });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  onTestFinished(end);
  const refused = async (): Promise<string[]> => {
    const text = await (await fetch(`http://127.0.0.1:${manager.ports.metrics}/metrics`)).text();
    expect(text).toMatch(/^rest_client_requests_total\{[^}]*code="200"/m);
    return text.match(/^rest_client_requests_total\{[^}]*code="403".*$/gm) ?? [];
  };
  return { manager, seen, end, refused };
}

const deployment = (namespace: string, name: string) => ({
  metadata: { namespace, name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "a", image: "a" }] },
    },
  },
});

describe("installOperator", { timeout: 180_000 }, () => {
  it("gives a project without a kind of its own the rights of its role, and no more", async () => {
    const folder = await withoutKinds();
    const cluster = await controlPlane();
    const config = await installOperator(cluster, join(folder, "config"));
    const { manager, seen, refused } = start({ config });
    await clientFor(cluster).create(Deployment, deployment("default", "one"));
    await eventually(() => {
      expect([...seen]).toContain("default/one");
    });
    expect(await refused()).toEqual([]);
    await expect(manager.client.live.list(Secret, { namespace: "default" })).rejects.toMatchObject({
      code: 403,
    });
  });

  it("leaves out what the optional parts have for cert-manager and Prometheus, which do not run here", async () => {
    const folder = await withoutKinds();
    await run(folder, `edit --enable ${PARTS.join(",")}`);
    const cluster = await controlPlane();
    await installOperator(cluster, join(folder, "config"));
    const budgets = await clientFor(cluster).list(PodDisruptionBudget, {
      namespace: "shop-system",
    });
    expect(budgets).toHaveLength(1);
  });

  it("gives a project of one namespace rights there, and nowhere else", async () => {
    const folder = await withoutKinds("--namespaced");
    const cluster = await controlPlane();
    const config = await installOperator(cluster, join(folder, "config"));
    const namespace = "shop-system";
    const { manager, seen, refused } = start({ config, cache: { namespaces: [namespace] } });
    const client = clientFor(cluster);
    await client.create(Deployment, deployment("default", "elsewhere"));
    await client.create(Deployment, deployment(namespace, "one"));
    await eventually(() => {
      expect([...seen]).toEqual([`${namespace}/one`]);
    });
    expect(await refused()).toEqual([]);
    await expect(
      manager.client.live.list(Deployment, { namespace: "default" }),
    ).rejects.toMatchObject({ code: 403 });
  });

  it("gives shards the right to share their keys, and to take away the Leases of those that end", async () => {
    const folder = await withoutKinds();
    const cluster = await controlPlane();
    const config = await installOperator(cluster, join(folder, "config"));
    const namespace = "shop-system";
    // Long enough for a machine that is busy with others; who ends takes its Lease away.
    const times = { leaseDurationMs: 30_000, renewDeadlineMs: 20_000, retryPeriodMs: 300 };
    const shard = (identity: string) =>
      start({ config, sharding: { id: "shop", namespace, identity, ...times } });
    const shards = [shard("a"), shard("b")] as const;
    const client = clientFor(cluster);
    const names = Array.from({ length: 12 }, (_, index) => `d${index}`);
    for (const name of names) await client.create(Deployment, deployment("default", name));
    await eventually(
      () => {
        for (const { seen } of shards) expect(seen.size).toBeGreaterThan(0);
        const all = new Set(shards.flatMap(({ seen }) => [...seen]));
        expect(all.size).toBe(names.length);
      },
      { timeoutMs: 60_000 },
    );
    await shards[1].end();
    await eventually(
      async () => {
        const leases = await client.list(Lease, { namespace });
        expect(leases.map(({ spec }) => spec?.holderIdentity)).toEqual([
          expect.stringMatching(/\ba$/),
        ]);
        expect(shards[0].seen.size).toBe(names.length);
      },
      { timeoutMs: 60_000 },
    );
    expect(await shards[0].refused()).toEqual([]);
  });

  it("says what to run when the manifests were not generated", async () => {
    const cluster = await controlPlane();
    await expect(installOperator(cluster, join(await newProject(), "nowhere"))).rejects.toThrow(
      expect.objectContaining({
        code: "no-manifests",
        fix: expect.stringContaining("npx tsop manifests") as string,
      }),
    );
  });
});

describe("tsop dev", { timeout: 180_000 }, () => {
  it.each([[[]], [["--namespaced"]]])(
    "runs a project without a kind of its own, made with %j, with the rights of its role",
    async (flags) => {
      const folder = await withoutKinds(...flags);
      useSources(folder);
      const main = join(folder, "src/main.ts");
      // A kind that the generator cannot read, so that no marker is asked for.
      const kind = `await manager.client.dynamic("v1", process.env["KIND"] ?? "Secret")`;
      const tried = `await manager.client.live.list(${kind}).catch((error) => console.log(String(error)));`;
      const text = readFileSync(main, "utf8");
      writeFileSync(main, text.replace("await manager.start(", `${tried}\nawait manager.start(`));
      const out = await run(folder, "dev --once --no-types");
      expect(out).toMatch(/installed +no kind yet and \d+ more objects/);
      expect(out).toMatch(/operator +ready in/);
      expect(out).toContain("secrets is forbidden");
    },
  );
});
