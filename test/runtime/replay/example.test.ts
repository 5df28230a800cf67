/**
 * Reconciles of an example, recorded while its objects are made, changed, refused and deleted, and replayed: the same bytes.
 * `npm run verify -- replays` does it with all examples.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { MyWeb } from "../../../examples/myweb/src/api/v1/myweb.ts";
import { setUpMyWeb } from "../../../examples/myweb/src/controllers/myweb-controller.ts";
import { createManager, mergePatch } from "../../../src/index.ts";
import { ConfigMap, Deployment, Service } from "../../../src/k8s.ts";
import {
  clientFor,
  inProcess,
  installOperator,
  replayReconcile,
  silentLogger,
  startControlPlane,
  VirtualClock,
} from "../../../src/testing.ts";

const namespace = "default";

it("replays each reconcile of myweb with the same writes, byte by byte", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tsop-replays-"));
  const clock = new VirtualClock({ seed: 5 });
  const cluster = await startControlPlane({ clock, listen: false });
  await installOperator(cluster, "examples/myweb/config");
  const manager = createManager({
    transport: inProcess(cluster),
    log: silentLogger,
    recordings: { folder, reconciles: "all", most: Infinity },
  });
  setUpMyWeb(manager);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await clock.advance(60_000);
    await running;
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const client = clientFor(cluster);
  const settle = async (): Promise<void> => {
    await clock.advance(5000);
    await manager.idle();
  };
  for (const name of ["first", "second", "refused"]) {
    const spec = {
      pageContentHtml: `<h1>${name}</h1>`,
      nodePortNumber: name === "first" ? 30100 : 30200,
    };
    await client.create(MyWeb, { metadata: { namespace, name }, spec });
    await settle();
  }
  const first = { namespace, name: "first" };
  await client.patch(MyWeb, first, mergePatch({ spec: { pageContentHtml: "<h1>New</h1>" } }));
  for (const kind of [ConfigMap, Deployment, Service]) {
    await settle();
    await client.delete(kind, first);
  }
  await settle();
  await client.delete(MyWeb, first);
  await settle();

  const recordings = readdirSync(folder);
  const reports = [];
  for (const name of recordings)
    reports.push(await replayReconcile(join(folder, name), setUpMyWeb));
  expect(reports.flatMap(({ differences }) => differences)).toEqual([]);
  expect(reports.length).toBeGreaterThanOrEqual(10);
  const requests = reports.flatMap(({ writes }) => writes.map(({ request }) => request));
  expect(requests.length).toBeGreaterThanOrEqual(10);
  for (const part of [/configmaps/, /deployments/, /services/, /\/status/]) {
    expect(requests).toContainEqual(expect.stringMatching(part));
  }
});
