/** The end of an operator behind a Service: reviews are answered until they go to another replica. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { systemClock, VirtualClock } from "../../../src/clock.ts";
import { createManager, type Manager } from "../../../src/index.ts";
import { silentLogger } from "../../../src/log.ts";
import { fixedCredentials } from "../../../src/runtime/transport/credentials/credentials.ts";
import { WEBHOOK_HOST_VARIABLE } from "../../../src/runtime/webhook/certificate.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { certificateIn, serveWebhooks, type TestServer } from "./support.ts";
import { Caller, WidgetValidator } from "./widget-reviews.ts";

const GRACE_MS = 30_000;

const caller = new Caller();
let server: TestServer | undefined;

afterEach(async () => {
  caller.end();
  await server?.stop();
  server = undefined;
  vi.unstubAllEnvs();
});

async function serve(options: Parameters<typeof serveWebhooks>[2]) {
  const clock = new VirtualClock({ startMs: Date.now() });
  server = await serveWebhooks([new WidgetValidator()], clock, options);
  return { clock, server };
}

/** Starts the drain; whether it has ended. */
function drain({ host }: TestServer): () => boolean {
  let isOver = false;
  void host.drain(GRACE_MS).then(() => {
    isOver = true;
  });
  return () => isOver;
}

describe("the drain of the webhook server", () => {
  it("answers kept and new connections, each for the last time, until nobody asks", async () => {
    const { clock, server } = await serve({ inCluster: true });
    expect(await caller.ask(server.port)).toBe("200 true keep-alive");
    const isOver = drain(server);
    expect(await caller.ask(server.port)).toBe("200 true close");
    expect(await caller.ask(server.port)).toBe("200 true close");
    await clock.advance(4999);
    expect(isOver()).toBe(false);
    expect(await new Caller().ask(server.port)).toBe("200 true close");
    // Somebody still asks: the drain goes on for another window.
    await clock.advance(2);
    expect(isOver()).toBe(false);
    await clock.advance(2500);
    expect(isOver()).toBe(true);
    expect(server.lines).toContain(
      "info webhooks are still answered, until requests go to another replica",
    );
    expect(server.lines.filter((line) => line.startsWith("warn"))).toEqual([]);
  });

  it("ends after 15 s at the latest, and reports that requests still come in", async () => {
    const { clock, server } = await serve({ inCluster: true });
    const isOver = drain(server);
    for (let seconds = 0; seconds < 15; seconds++) {
      expect(isOver()).toBe(false);
      await caller.ask(server.port);
      await clock.advance(1000);
    }
    expect(isOver()).toBe(true);
    expect(server.lines.at(-1)).toMatch(/^warn webhook requests still come in at the end/);
  });

  it("takes half of the time that the operator has, and what the options say", async () => {
    const short = await serve({ inCluster: true });
    let isOver = false;
    void short.server.host.drain(2000).then(() => {
      isOver = true;
    });
    await short.clock.advance(999);
    expect(isOver).toBe(false);
    await short.clock.advance(1);
    expect(isOver).toBe(true);
    await short.server.stop();
    const given = await serve({ drainMs: 500 });
    const isGivenOver = drain(given.server);
    await given.clock.advance(499);
    expect(isGivenOver()).toBe(false);
    await given.clock.advance(1);
    expect(isGivenOver()).toBe(true);
  });

  it("is left out where no Service leads here: outside of a cluster, and in tsop run", async () => {
    const outside = await serve({});
    await outside.server.host.drain(GRACE_MS);
    await outside.server.stop();
    const off = await serve({ inCluster: true, drainMs: 0 });
    await off.server.host.drain(GRACE_MS);
    await off.server.stop();
    const { server } = await serve({ inCluster: true });
    vi.stubEnv(WEBHOOK_HOST_VARIABLE, "127.0.0.1");
    await server.host.drain(GRACE_MS);
    expect(server.lines.filter((line) => line.includes("still answered"))).toEqual([]);
  });

  it("ends with the server", async () => {
    const { clock, server } = await serve({ inCluster: true });
    const isOver = drain(server);
    server.host.close();
    await clock.advance(0);
    expect(isOver()).toBe(true);
  });
});

describe("an operator that is stopped", () => {
  it("is not ready, gives up the lead at once, and answers reviews until they go elsewhere", async () => {
    const clock = new VirtualClock({ startMs: Date.now() });
    const api = new MemoryApi(clock);
    const folder = mkdtempSync(join(tmpdir(), "tsop-drain-"));
    const certificate = certificateIn(folder, clock.now());
    const replica = (identity: string) => {
      const manager = createManager({
        clock,
        transport: api,
        config: {
          server: "https://api.test",
          credentials: fixedCredentials({}),
          namespace: "d",
          inCluster: true,
        },
        log: silentLogger,
        health: { port: 0, host: "127.0.0.1" },
        leaderElection: { id: "web", namespace: "d", identity },
        webhooks: { port: 0, host: "127.0.0.1", certificate },
      });
      manager.webhooks.add(new WidgetValidator());
      const stop = new AbortController();
      let state = "runs";
      const running = manager.start(stop.signal).then(() => {
        state = "has ended";
      });
      return { manager, stop, running, state: () => state };
    };
    const probe = async ({ ports }: Manager, path: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${ports.health}${path}`)).status;
    const leads = async ({ metrics }: Manager): Promise<boolean> => {
      const gauge = await metrics.registry.getSingleMetric("leader_election_master_status")?.get();
      return gauge?.values[0]?.value === 1;
    };
    const first = replica("one");
    const all = [first];
    const port = async ({ manager }: typeof first): Promise<number> => {
      for (;;) {
        const { webhooks } = manager.ports;
        if (webhooks !== undefined) return webhooks;
        await clock.advance(10);
        await systemClock.sleep(1);
      }
    };
    try {
      const firstPort = await port(first);
      await clock.advance(5000);
      expect(await leads(first.manager)).toBe(true);
      const second = replica("two");
      all.push(second);
      await port(second);
      await clock.advance(5000);
      expect([await leads(first.manager), await leads(second.manager)]).toEqual([true, false]);
      expect(await probe(first.manager, "/readyz")).toBe(200);

      first.stop.abort();
      await clock.advance(4500);
      expect([await leads(first.manager), await leads(second.manager)]).toEqual([false, true]);
      expect(await probe(first.manager, "/readyz")).toBe(500);
      expect(await probe(first.manager, "/healthz")).toBe(200);
      expect(await caller.ask(firstPort)).toBe("200 true close");
      expect(first.state()).toBe("runs");
      await clock.advance(5000);
      await first.running;
      await expect(caller.ask(firstPort)).rejects.toThrow("ECONNREFUSED");
    } finally {
      for (const { stop } of all) stop.abort();
      await clock.advance(60_000);
      await Promise.all(all.map(({ running }) => running));
      rmSync(folder, { recursive: true });
    }
  });
});
