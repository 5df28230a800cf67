import { describe, expect, it } from "vitest";
import { VirtualClock, settlePromises } from "../../../../src/clock.ts";
import { builtInResources } from "../../../../src/controlplane/builtin/resources.ts";
import { BookmarkTicks } from "../../../../src/controlplane/server/cluster/bookmark-ticks.ts";
import type { Cluster } from "../../../../src/controlplane/server/cluster/cluster.ts";
import { Registry } from "../../../../src/controlplane/server/cluster/registry.ts";
import { Watch, type WatchSink } from "../../../../src/controlplane/server/read/watch.ts";
import type { Change } from "../../../../src/controlplane/store/change.ts";
import { Store } from "../../../../src/controlplane/store/store.ts";
import type { SentObject } from "../../../../src/kube/object.ts";

/** Knows how many follow it. */
class CountingStore extends Store {
  followers = 0;

  override subscribe(listener: (change: Change) => void): () => void {
    const release = super.subscribe(listener);
    this.followers++;
    return () => {
      this.followers--;
      release();
    };
  }
}

const crew = (name: string): SentObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "enterprise" },
});

function start(sink: Partial<WatchSink>, isGone = false) {
  const store = new CountingStore();
  store.put("configmaps", crew("kirk"));
  const clock = new VirtualClock();
  const registry = new Registry(builtInResources());
  const resource = registry.find("", "v1", "configmaps");
  if (!resource) throw new Error("no ConfigMaps");
  const bookmarkTicks = new BookmarkTicks(clock);
  const cluster = { store, registry, clock, bookmarkTicks } as Partial<Cluster> as Cluster;
  const query = {
    labels: [],
    fields: [],
    namespace: "",
    resourceVersion: "",
    sendInitialEvents: true,
    bookmarks: true,
  };
  const watch = new Watch(cluster, resource, query, {
    event: () => undefined,
    end: () => undefined,
    ...sink,
  });
  if (isGone) watch.stop();
  watch.start();
  return { store, clock, watch };
}

describe("Watch", () => {
  it("follows the store, and no longer when its client is gone", async () => {
    const { store, clock, watch } = start({});
    await settlePromises();
    expect(store.followers).toBe(1);
    expect(clock.pending).toBeGreaterThan(0);
    watch.stop();
    expect(store.followers).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it("gets a bookmark each minute, with one timer for all watches", async () => {
    const clock = new VirtualClock();
    const ticks = new BookmarkTicks(clock);
    const atMs: Record<string, number[]> = { early: [], late: [] };
    const note = (name: string) => (): void => void atMs[name]?.push(clock.monotonicMs());
    const endEarly = ticks.subscribe(note("early"));
    await clock.advance(45_000);
    const endLate = ticks.subscribe(note("late"));
    expect(clock.pending).toBe(1);
    await clock.advance(80_000);
    expect(atMs).toEqual({ early: [60_000, 120_000], late: [60_000, 120_000] });
    endEarly();
    await clock.advance(60_000);
    expect(atMs).toEqual({ early: [60_000, 120_000], late: [60_000, 120_000, 180_000] });
    endLate();
    expect(clock.pending).toBe(0);
  });

  it("keeps nothing when what there is cannot be shown", async () => {
    let ends = 0;
    const { store, clock } = start({
      event: () => {
        throw new Error("not in this form");
      },
      end: () => {
        ends++;
      },
    });
    await settlePromises();
    expect({ ends, followers: store.followers, timers: clock.pending }).toEqual({
      ends: 1,
      followers: 0,
      timers: 0,
    });
  });

  it("does not begin for a client that is gone already", async () => {
    const told: unknown[] = [];
    const { store, clock } = start({ event: (event) => void told.push(event) }, true);
    await settlePromises();
    expect({ told, followers: store.followers, timers: clock.pending }).toEqual({
      told: [],
      followers: 0,
      timers: 0,
    });
  });
});
