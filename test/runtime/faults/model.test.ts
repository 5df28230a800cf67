/**
 * T51: random schedules of writes and faults. Whatever happens, once the faults stop the cache is the server, no
 * object ever went back in time, and a handler that follows its notifications knows the same as the cache.
 */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import { restListerWatcher } from "../../../src/runtime/cache/lister-watcher.ts";
import { SharedInformer } from "../../../src/runtime/cache/shared-informer.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { FaultyTransport } from "../../../src/runtime/transport/faulty-transport.ts";
import { MemoryApi } from "../support/memory-api.ts";

const WIDGETS = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
const ALL = "/apis/example.com/v1/widgets";
const pathOf = (name: string): string => `/apis/example.com/v1/namespaces/d/widgets/${name}`;

// `TSOP_MODEL_SEEDS=20000` is a long run; a failing seed stands in the message, and `TSOP_MODEL_FIRST` begins there.
const FIRST = Number(process.env["TSOP_MODEL_FIRST"] ?? 1);
const SEEDS = Number(process.env["TSOP_MODEL_SEEDS"] ?? 150);

const versionsOf = (objects: Iterable<KubeObject>): string[] =>
  [...objects].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();

async function run(seed: number): Promise<void> {
  const clock = new VirtualClock({ seed });
  const dice = new VirtualClock({ seed: seed + 1_000_000 });
  const draw = (below: number): number => Math.floor(dice.random() * below);
  const api = new MemoryApi(clock);
  const network = new FaultyTransport(api, clock, {
    refuse: 0.05,
    reset: 0.05,
    cut: 0.02,
    status: { 410: 0.02, 429: 0.03, 500: 0.03 },
    delayMs: 100,
  });
  const informer = new SharedInformer({
    listerWatcher: restListerWatcher(new RestClient(network, clock), WIDGETS),
    clock,
    log: silentLogger,
    watchList: draw(2) === 0,
  });
  const told = new Map<string, KubeObject>();
  const tell = (object: KubeObject): void => {
    const known = told.get(object.metadata.name);
    const back =
      known?.metadata.uid === object.metadata.uid &&
      Number(object.metadata.resourceVersion) < Number(known.metadata.resourceVersion);
    if (back) throw new Error(`seed ${seed}: ${object.metadata.name} went back in time`);
    told.set(object.metadata.name, object);
  };
  const broken: string[] = [];
  informer.addHandler({
    onAdd: (object) => {
      if (told.has(object.metadata.name)) broken.push(`added twice: ${object.metadata.name}`);
      tell(object);
    },
    onUpdate: (old, object) => {
      const known = told.get(object.metadata.name);
      if (known?.metadata.resourceVersion !== old.metadata.resourceVersion) {
        broken.push(`updated from what was not told: ${object.metadata.name}`);
      }
      tell(object);
    },
    onDelete: ({ metadata }) => {
      if (!told.delete(metadata.name)) broken.push(`deleted twice: ${metadata.name}`);
    },
  });
  const stop = new AbortController();
  const running = informer.start(stop.signal);
  for (let step = 0; step < 40; step++) {
    const name = `w${draw(5)}`;
    const widget = { apiVersion: "example.com/v1", kind: "Widget" };
    const action = draw(12);
    if (action < 4) api.put(pathOf(name), { ...widget, metadata: { name, namespace: "d" } });
    else if (action < 6) api.remove(pathOf(name));
    else if (action < 7) api.cut();
    else if (action < 8) api.closeWatches();
    else if (action < 9) api.compact();
    else if (action < 10) api.watchDelayMs = draw(3) * 400;
    else if (action < 11 && informer.hasSynced) {
      // A write of this process, whose answer is faster than the watch.
      const metadata = { name, namespace: "d" };
      informer.noteWritten(structuredClone(api.put(pathOf(name), { ...widget, metadata })));
    } else if (informer.hasSynced) {
      const gone = api.remove(pathOf(name));
      if (gone) informer.noteDeleted({ namespace: "d", name }, gone.metadata.uid);
    }
    await clock.advance(draw(1500));
  }
  network.healthy = true;
  api.watchDelayMs = 0;
  await clock.advance(400_000);
  const known = versionsOf(informer.indexer.list());
  stop.abort();
  await running;
  const context = `seed ${seed}`;
  expect(known, context).toEqual(versionsOf(api.objects(ALL)));
  expect(versionsOf(told.values()), context).toEqual(known);
  expect(broken, context).toEqual([]);
  expect(clock.pending, context).toBe(0);
}

describe("T51: the informer under random schedules", () => {
  it(
    `is equal to the server at rest, for ${SEEDS} seeds`,
    { timeout: 60_000 + SEEDS * 100 },
    async () => {
      for (let seed = FIRST; seed < FIRST + SEEDS; seed++) await run(seed);
    },
  );
});
