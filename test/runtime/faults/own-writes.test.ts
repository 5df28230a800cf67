/** T31 to T34: a reconciler sees what it wrote, however late the watch is, and others see what really happened. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import { formatKey, type KubeObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { controllerFor } from "../../../src/runtime/builder/builder.ts";
import { informersOf } from "../../../src/runtime/cache/cache.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import { MemoryApi } from "../support/memory-api.ts";

interface Settings extends KubeObject {
  data?: Record<string, string>;
  status?: { seen?: number };
}

const SETTINGS: ResourceType<Settings> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};
const KEY = { namespace: "d", name: "one" };
const PATH = "/api/v1/namespaces/d/configmaps/one";

async function build() {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const manager = createManager({ clock, transport: api, log: silentLogger });
  const events: string[] = [];
  const show = ({ metadata, data }: Settings): string =>
    `${formatKey({ name: metadata.name })}=${data?.["page"] ?? ""}`;
  for (const informer of informersOf(manager.cache).informersFor(SETTINGS).informers.values()) {
    informer.addHandler({
      onAdd: (object) => void events.push(`add ${show(object)}`),
      onUpdate: (old, object) => void events.push(`update ${show(old)} -> ${show(object)}`),
      onDelete: (object) => void events.push(`delete ${show(object)}`),
    });
  }
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(100);
  return {
    clock,
    api,
    client: manager.client,
    events,
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
      expect(clock.pending).toBe(0);
    },
  };
}

const settings = (page: string) => ({ metadata: { ...KEY }, data: { page } });

describe("own writes", () => {
  it("T31: are there for the next read, by key and in lists, while the watch is 5 s late", async () => {
    const { clock, api, client, events, end } = await build();
    api.watchDelayMs = 5000;
    await client.create(SETTINGS, settings("one"));
    expect(await client.find(SETTINGS, KEY)).toMatchObject({ data: { page: "one" } });
    expect(await client.list(SETTINGS, { namespace: "d" })).toHaveLength(1);
    const stored = await client.get(SETTINGS, KEY);
    await client.update(SETTINGS, { ...stored, data: { page: "two" } });
    expect(await client.get(SETTINGS, KEY)).toMatchObject({ data: { page: "two" } });
    await client.delete(SETTINGS, KEY);
    expect(await client.find(SETTINGS, KEY)).toBeUndefined();
    expect(await client.list(SETTINGS)).toEqual([]);
    expect(api.requests.filter((request) => request === `GET ${PATH}`)).toEqual([]);

    // What came and went between two looks is no news; handlers may hear of it or not, but never out of order.
    await clock.advance(10_000);
    expect(await client.find(SETTINGS, KEY)).toBeUndefined();
    expect(events.filter((event) => event.startsWith("add")).length).toBe(
      events.filter((event) => event.startsWith("delete")).length,
    );
    await end();
  });

  it("T32: stay when the watch is cut before it brings them, and handlers hear of each once", async () => {
    const { clock, api, client, events, end } = await build();
    api.watchDelayMs = 5000;
    await client.create(SETTINGS, settings("one"));
    api.cut();
    await clock.advance(1000);
    expect(await client.find(SETTINGS, KEY)).toBeDefined();
    await clock.advance(20_000);
    expect(await client.find(SETTINGS, KEY)).toBeDefined();
    expect(events).toEqual(["add one=one"]);
    await end();
  });

  it("T33: handlers hear of an own write from the watch, with what was there before", async () => {
    const { clock, api, client, events, end } = await build();
    api.put(PATH, { apiVersion: "v1", kind: "ConfigMap", ...settings("one") });
    await clock.advance(100);
    api.watchDelayMs = 1000;
    const stored = await client.get(SETTINGS, KEY);
    await client.update(SETTINGS, { ...stored, data: { page: "two" } });
    expect(events).toEqual(["add one=one"]);
    await clock.advance(2000);
    expect(events).toEqual(["add one=one", "update one=one -> one=two"]);
    await end();
  });

  it("T33: the event of an own write that a later reconcile has seen causes no other one", async () => {
    const clock = new VirtualClock();
    const api = new MemoryApi(clock);
    api.latencyMs = 5;
    api.watchDelayMs = 200;
    const manager = createManager({ clock, transport: api, log: silentLogger });
    const pages: string[] = [];
    const write = async (name: string): Promise<void> => {
      await manager.client.apply(SETTINGS, { metadata: { namespace: "d", name }, data: {} });
    };
    controllerFor(manager)
      .named("pages")
      .watches(SETTINGS, { map: () => [KEY] })
      .complete({
        async reconcile() {
          pages.push((await manager.client.find(SETTINGS, KEY))?.data?.["page"] ?? "");
          if (pages.length > 1) return;
          // Two writes of one reconcile: the event of the first lets it run again, which sees both.
          await write("two");
          await clock.sleep(150);
          await write("three");
          await clock.sleep(100);
        },
      });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    api.put(PATH, { apiVersion: "v1", kind: "ConfigMap", ...settings("one") });
    await clock.advance(10_000);
    const own = await manager.metrics.registry.getSingleMetric("tsop_own_events_total")?.get();
    expect([pages, own?.values[0]?.value]).toEqual([["one", "one"], 1]);
    // What somebody else writes is looked at, however soon after an own write.
    const written = write("two");
    await clock.advance(10);
    await written;
    api.put(PATH, { apiVersion: "v1", kind: "ConfigMap", ...settings("theirs") });
    await clock.advance(1000);
    expect(pages.at(-1)).toBe("theirs");
    stop.abort();
    await clock.advance(60_000);
    await running;
  });

  it("gives way to what others wrote later, and to their deletion", async () => {
    const { clock, api, client, events, end } = await build();
    api.watchDelayMs = 1000;
    await client.create(SETTINGS, settings("ours"));
    api.put(PATH, { apiVersion: "v1", kind: "ConfigMap", ...settings("theirs") });
    await clock.advance(2000);
    expect(await client.get(SETTINGS, KEY)).toMatchObject({ data: { page: "theirs" } });
    const stored = await client.get(SETTINGS, KEY);
    await client.update(SETTINGS, { ...stored, data: { page: "ours again" } });
    api.remove(PATH);
    await clock.advance(2000);
    expect(await client.find(SETTINGS, KEY)).toBeUndefined();
    expect(events.at(-1)).toBe("delete one=ours again");
    await end();
  });

  it("T34: a version that somebody else has overwritten is refused", async () => {
    const { api, client, end } = await build();
    const stored = await client.create(SETTINGS, settings("one"));
    api.put(PATH, { apiVersion: "v1", kind: "ConfigMap", ...settings("theirs") });
    await expect(client.update(SETTINGS, { ...stored, data: {} })).rejects.toMatchObject({
      code: 409,
    });
    await end();
  });

  it("an apply, or a status patch, that changes nothing is not sent; one that mends is", async () => {
    const { clock, api, client, end } = await build();
    const apply = () => client.apply(SETTINGS, settings("one"));
    const patches = (): number => api.requests.filter((text) => text.startsWith("PATCH")).length;
    await apply();
    await apply();
    expect(patches()).toBe(1);
    await client.status.patch(await apply(), { seen: 1 });
    await client.status.patch(await apply(), { seen: 1 });
    expect(patches()).toBe(2);
    api.put(PATH, { apiVersion: "v1", kind: "ConfigMap", ...settings("theirs") });
    await clock.advance(100);
    await apply();
    expect(patches()).toBe(3);
    await client.live.apply(SETTINGS, settings("one"));
    expect(patches()).toBe(4);
    await end();
  });
});
