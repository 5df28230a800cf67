/** What a manager tells of its stop while reconciles go on. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { ConfigMap, Lease } from "../../../src/k8s.ts";
import { controllerFor, createManager } from "../../../src/index.ts";
import { clientFor, inProcess, startControlPlane } from "../../../src/testing.ts";
import { keptLog } from "../../logging/support.ts";

const KEY = { namespace: "default", name: "one" };

async function start(runMs: number) {
  const clock = new VirtualClock();
  const cluster = await startControlPlane({ listen: false, clock, controllers: "off" });
  const client = clientFor(cluster);
  const { log, entries } = keptLog();
  const manager = createManager({
    transport: inProcess(cluster),
    log,
    clock,
    leaderElection: { id: "shop" },
  });
  controllerFor(manager)
    .named("web")
    .for(ConfigMap)
    .complete({
      reconcile: async ({ key }) => {
        if (key.name === "one") await clock.sleep(runMs);
      },
    });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(1000);
  await client.create(ConfigMap, { metadata: KEY });
  await clock.advance(1000);
  stop.abort(new Error("received SIGTERM"));
  const lease = () => client.get(Lease, { namespace: "default", name: "shop" });
  const messages = () => entries().flatMap(({ level, msg }) => (level === "debug" ? [] : [msg]));
  return { clock, cluster, running, messages, entries, lease };
}

describe("a manager", () => {
  it("tells its start step by step, and what it waits for when it stops", async () => {
    const { clock, cluster, running, messages, entries, lease } = await start(13_000);
    await clock.advance(60_000);
    await running;
    expect(messages()).toEqual([
      "starting",
      "waiting to lead",
      "leading",
      "controller started",
      "the caches are synced",
      "stopping: received SIGTERM; 1 reconcile is running",
      "still stopping: waiting for 1 reconcile (web of default/one)",
      "still stopping: waiting for 1 reconcile (web of default/one)",
      "the Lease is released",
      expect.stringMatching(/^stopped after 12(\.\d)? s; the Lease is released$/),
    ]);
    expect(entries()[0]).toMatchObject({
      msg: "starting",
      operator: "tsop",
      leaderElection: "shop",
    });
    expect(entries().find(({ msg }) => msg === "the caches are synced")).toMatchObject({
      informers: 1,
      objects: expect.any(Number),
      seconds: expect.any(Number),
    });
    expect((await lease()).spec?.holderIdentity).toBe("");
    await cluster.stop();
  });

  it("releases the Lease although a reconcile does not end, when no write is under way", async () => {
    const { clock, cluster, running, messages, lease } = await start(2 ** 40);
    const ended = running.catch((error: unknown) => error);
    await clock.advance(60_000);
    expect(await ended).toMatchObject({ code: "shutdown-timeout" });
    expect(messages()).toContain("the Lease is released");
    expect((await lease()).spec?.holderIdentity).toBe("");
    await cluster.stop();
  });
});
