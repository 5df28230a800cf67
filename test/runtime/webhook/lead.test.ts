/** Webhooks are answered by every replica: the API server does not know who leads. */
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { systemClock, VirtualClock } from "../../../src/clock.ts";
import {
  createManager,
  CustomResource,
  Resource,
  ValidatingWebhook,
  type Validator,
} from "../../../src/index.ts";
import { silentLogger } from "../../../src/log.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { certificateIn, reviewOf } from "./support.ts";

@Resource({ group: "shop.example.com", version: "v1" })
class Widget extends CustomResource {}

@ValidatingWebhook(Widget, { path: "/validate" })
class WidgetValidator implements Validator<Widget> {
  validateCreate(): void {}
}

function ask(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: "127.0.0.1",
      port,
      path: "/validate",
      method: "POST",
      headers: { "Content-Type": "application/json" },
      rejectUnauthorized: false,
      agent: false,
    });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => void text(response).then(resolve, reject));
    const object = { apiVersion: "shop.example.com/v1", kind: "Widget", metadata: {} };
    outgoing.end(JSON.stringify(reviewOf({ uid: "u", object })));
  });
}

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
  try {
    while (replicas.some(({ manager }) => manager.ports.webhooks === undefined)) {
      await clock.advance(10);
      await systemClock.sleep(1);
    }
    await clock.advance(20_000);
    expect((await leads(replicas)).sort()).toEqual(["leads", "waits"]);
    for (const { manager } of replicas) {
      expect(await ask(manager.ports.webhooks ?? 0)).toContain('"uid":"u","allowed":true');
    }
  } finally {
    for (const { stop } of replicas) stop.abort();
    await clock.advance(60_000);
    await Promise.all(replicas.map(({ running }) => running));
    rmSync(folder, { recursive: true });
  }
});
