/** Webhooks are answered by every replica: the API server does not know who leads. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock, VirtualClock } from "../../../src/clock.ts";
import { createManager } from "../../../src/index.ts";
import { silentLogger } from "../../../src/log.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { certificateIn } from "./support.ts";
import { Caller, WidgetValidator } from "./widget-reviews.ts";

it("a replica without the lead answers reviews", async () => {
  const clock = new VirtualClock({ startMs: Date.now() });
  const api = new MemoryApi(clock);
  const folder = mkdtempSync(join(tmpdir(), "tsop-lead-"));
  const certificate = certificateIn(folder, clock.now());
  const replica = (identity: string) => {
    const manager = createManager({
      clock,
      transport: api,
      log: silentLogger,
      leaderElection: { id: "web", namespace: "d", identity },
      webhooks: { port: 0, host: "127.0.0.1", certificate },
    });
    manager.webhooks.add(new WidgetValidator());
    const stop = new AbortController();
    return { manager, stop, running: manager.start(stop.signal) };
  };
  const leads = async (all: readonly ReturnType<typeof replica>[]): Promise<string[]> => {
    const told = all.map(async ({ manager }) => {
      const gauge = await manager.metrics.registry
        .getSingleMetric("leader_election_master_status")
        ?.get();
      return gauge?.values[0]?.value === 1 ? "leads" : "waits";
    });
    return Promise.all(told);
  };
  const replicas = [replica("one"), replica("two")];
  const caller = new Caller();
  try {
    while (replicas.some(({ manager }) => manager.ports.webhooks === undefined)) {
      await clock.advance(10);
      await systemClock.sleep(1);
    }
    await clock.advance(20_000);
    expect((await leads(replicas)).sort()).toEqual(["leads", "waits"]);
    for (const { manager } of replicas) {
      expect(await caller.ask(manager.ports.webhooks ?? 0)).toBe("200 true keep-alive");
    }
  } finally {
    caller.end();
    for (const { stop } of replicas) stop.abort();
    await clock.advance(60_000);
    await Promise.all(replicas.map(({ running }) => running));
    rmSync(folder, { recursive: true });
  }
});
