import { afterAll, expect, it } from "vitest";
import { createManager } from "../../../src/index.ts";
import {
  clientFor,
  installOperator,
  silentLogger,
  startControlPlane,
  VirtualClock,
} from "../../../src/testing.ts";
import { setUpTrial, Trial } from "./testing-time.ts";
import { manifestsOf } from "./support.ts";

const HOUR_MS = 3_600_000;

const clock = new VirtualClock({ startMs: Date.UTC(2026, 2, 1) });
const cluster = await startControlPlane({ clock, listen: false });
const client = clientFor(cluster);
const config = await installOperator(cluster, await manifestsOf(import.meta.url));

/** Starts the operator; gives its manager, and what ends it. */
function startOperator() {
  const manager = createManager({ config, log: silentLogger });
  setUpTrial(manager);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  const end = async () => {
    stop.abort();
    await clock.advance(60_000); // what the manager waits for when it ends
    await running;
  };
  return { manager, end };
}

afterAll(() => cluster.stop());

it("ends a trial after two days, also when the operator was restarted meanwhile", async () => {
  const first = startOperator();
  const key = { namespace: "default", name: "anna" };
  await client.create(Trial, { metadata: key, spec: {} });

  const { waiting } = await first.manager.idle();
  const atMs = Date.UTC(2026, 2, 3);
  expect(waiting).toEqual([{ controller: "trial", key, atMs }]);

  await clock.advance(47 * HOUR_MS);
  expect((await client.get(Trial, key)).status?.expired).toBe(false);
  await first.end();

  const second = startOperator();
  await second.manager.idle();
  await clock.advance(HOUR_MS);
  expect((await client.get(Trial, key)).status?.expired).toBe(true);
  expect((await second.manager.idle()).waiting).toEqual([]);
  await second.end();
});
