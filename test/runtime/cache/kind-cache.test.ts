import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import { keyOf, type KubeObject } from "../../../src/kube/object.ts";
import { metadataOf, type ResourceType, type ReadToken } from "../../../src/kube/resource.ts";
import type { StatusCondition } from "../../../src/kube/progress/conditions.ts";
import type { CacheOptions } from "../../../src/runtime/cache/cache.ts";
import { mutableCopy } from "../../../src/runtime/cache/freeze.ts";
import { cacheOf } from "../../../src/runtime/cache/kind-cache.ts";
import { createOrUpdate } from "../../../src/runtime/client/create-or-update.ts";
import { controllerFor } from "../../../src/runtime/builder/builder.ts";
import { createCluster } from "../../../src/runtime/manager/cluster.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import type { Manager } from "../../../src/runtime/manager/manager.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { asRead } from "../../support/as-read.ts";

interface Secret extends KubeObject {
  data?: Record<string, string>;
  type?: string;
  status?: { conditions?: StatusCondition[] };
}

const core = { group: "", version: "v1", namespaced: true };
const SECRET: ResourceType<Secret> = { ...core, kind: "Secret", plural: "secrets" };
const CONFIG_MAP: ResourceType<Secret> = { ...core, kind: "ConfigMap", plural: "configmaps" };
const HOUSE: ResourceType = {
  group: "example.com",
  version: "v1",
  kind: "House",
  plural: "houses",
  namespaced: false,
};
const KEY = { namespace: "d", name: "a" };
const pathOf = (plural: string, name = "a", namespace = "d"): string =>
  `/api/v1/namespaces/${namespace}/${plural}/${name}`;
const secret = (name = "a", kind = "Secret", namespace = "d"): Secret =>
  asRead({
    apiVersion: "v1",
    kind,
    metadata: { namespace, name },
    type: "Opaque",
    data: { password: "c2VjcmV0" },
  });
const withoutData = cacheOf(SECRET, {
  transform: (object) => {
    delete object.data;
    return object;
  },
});

async function start(cache: CacheOptions, build: (manager: Manager) => void) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const told: string[] = [];
  const log = {
    ...silentLogger,
    error: (_: unknown, message?: string) => told.push(message ?? ""),
    child: () => log,
  };
  const manager = createManager({ clock, transport: api, log, cache });
  build(manager);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(100);
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    promise.catch(() => undefined);
    await clock.advance(100);
    return promise;
  };
  return {
    clock,
    api,
    manager,
    told,
    settled,
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
    },
  };
}

const watching =
  (...kinds: readonly ReadToken[]) =>
  (manager: Manager): void => {
    const builder = controllerFor(manager).named("all");
    for (const kind of kinds) builder.watches(kind, { map: () => [] });
    builder.complete({ reconcile: () => Promise.resolve() });
  };

describe("a kind whose objects are transformed", () => {
  it("is kept without what the transform drops: from the list, the watch and the process's own writes", async () => {
    const { api, clock, manager, settled, end } = await start(
      { kinds: [withoutData] },
      watching(SECRET),
    );
    api.put(pathOf("secrets"), secret());
    await clock.advance(100);
    expect(await manager.client.get(SECRET, KEY)).toMatchObject({ type: "Opaque" });
    expect((await manager.client.get(SECRET, KEY)).data).toBeUndefined();
    const answer = await settled(
      manager.client.create(SECRET, { metadata: { ...KEY, name: "b" }, data: { x: "eQ==" } }),
    );
    expect(answer.data).toEqual({ x: "eQ==" });
    expect((await manager.client.get(SECRET, { ...KEY, name: "b" })).data).toBeUndefined();
    api.cut();
    api.compact();
    await clock.advance(60_000);
    expect((await manager.client.list(SECRET)).map(({ data }) => data)).toEqual([
      undefined,
      undefined,
    ]);
    await end();
  });

  it("is never written as a whole where only its metadata was read, whatever the compiler was told", async () => {
    const { api, clock, manager, settled, end } = await start({}, watching(metadataOf(SECRET)));
    api.put(pathOf("secrets"), secret());
    await clock.advance(100);
    const { client } = manager;
    const reads = [
      client.get(metadataOf(SECRET), KEY),
      client.live.get(metadataOf(SECRET), KEY),
      client.live.list(metadataOf(SECRET)).then(([first]) => first!),
    ];
    for (const read of reads) {
      // By hand, which the compiler believes.
      const cast = (await settled(read)) as unknown as Secret;
      for (const write of [
        () => client.update(SECRET, mutableCopy(cast)),
        () => client.update(SECRET, { ...cast, type: "other" }),
        () => client.create(SECRET, cast),
        () => client.live.apply(SECRET, cast),
      ]) {
        await expect(settled(Promise.resolve().then(write))).rejects.toMatchObject({
          code: "partial-write",
        });
      }
    }
    await end();
  });

  it("is never written back as a whole from the cache, whichever way the object was copied", async () => {
    const { api, clock, manager, settled, end } = await start(
      { kinds: [withoutData] },
      watching(SECRET),
    );
    api.put(pathOf("secrets"), secret());
    await clock.advance(100);
    const { client } = manager;
    const cached = await client.get(SECRET, KEY);
    const writes: (() => Promise<unknown>)[] = [
      () => client.update(SECRET, mutableCopy(cached)),
      () => client.update(SECRET, { ...cached, type: "other" }),
      () => client.live.update(SECRET, mutableCopy(cached)),
      () => client.create(SECRET, mutableCopy(cached)),
      () => client.live.apply(SECRET, { ...cached }),
      () => client.status.update(mutableCopy(cached)),
      () =>
        createOrUpdate(client, SECRET, KEY, (object) => {
          object.type = "other";
        }),
    ];
    for (const write of writes) {
      await expect(settled(Promise.resolve().then(write))).rejects.toMatchObject({
        code: "partial-write",
      });
    }
    expect((api.objects("/api/v1/secrets")[0] as Secret).data).toBeDefined();
    const whole = await settled(client.live.get(SECRET, KEY));
    await settled(client.update(SECRET, { ...whole, type: "other" }));
    expect(api.objects("/api/v1/secrets")[0]).toMatchObject({ type: "other", data: secret().data });
    await end();
  });

  it("loses no conditions of a status that was dropped", async () => {
    const kind = cacheOf(SECRET, {
      transform: (object) => {
        delete object.status;
        return object;
      },
    });
    const { api, clock, manager, settled, end } = await start({ kinds: [kind] }, watching(SECRET));
    const theirs: StatusCondition = {
      type: "Theirs",
      status: "True",
      reason: "X",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const withStatus: Secret = { ...secret(), status: { conditions: [theirs] } };
    api.put(pathOf("secrets"), withStatus);
    await clock.advance(100);
    const cached = await manager.client.get(SECRET, KEY);
    await settled(
      manager.client.status.patch(cached, (status) => ({
        conditions: [...(status?.conditions ?? []), { ...theirs, type: "Mine" }],
      })),
    );
    const [stored] = api.objects("/api/v1/secrets") as Secret[];
    expect(stored?.status?.conditions?.map(({ type }) => type)).toEqual(["Theirs", "Mine"]);
    await end();
  });

  it.each<[string, (object: Secret) => Secret]>([
    ["throws", () => void JSON.parse("{") as never],
    ["changes the name", (object) => ({ ...object, metadata: { ...object.metadata, name: "x" } })],
    ["drops finalizers", (object) => asRead({ ...object, metadata: { ...KEY } })],
    ["gives nothing", () => undefined as never],
  ])("is kept whole, and that is told, where the transform %s", async (_, transform) => {
    const { api, clock, manager, told, end } = await start(
      { kinds: [cacheOf(SECRET, { transform })] },
      watching(SECRET),
    );
    const metadata = { ...KEY, finalizers: ["example.com/x"] };
    api.put(pathOf("secrets"), { ...secret(), metadata });
    await clock.advance(100);
    const again: Secret = asRead({ ...secret(), metadata, type: "again" });
    api.put(pathOf("secrets"), again);
    await clock.advance(100);
    expect(await manager.client.get(SECRET, KEY)).toMatchObject({ type: "again", metadata });
    expect(told.filter((line) => line.startsWith("a transform failed"))).toHaveLength(1);
    await end();
  });
});

describe("reads of what is not watched", () => {
  it("go to the server, or fail, by kind and for the whole cache", async () => {
    const { api, manager, settled, end } = await start(
      { reads: "fail", kinds: [cacheOf(CONFIG_MAP, { reads: "live" })] },
      () => undefined,
    );
    api.put(pathOf("secrets"), secret());
    api.put(pathOf("configmaps"), secret("a", "ConfigMap"));
    const { client } = manager;
    expect((await settled(client.get(CONFIG_MAP, KEY))).kind).toBe("ConfigMap");
    const reads: (() => Promise<unknown>)[] = [
      () => client.get(SECRET, KEY),
      () => client.find(SECRET, KEY),
      () => client.list(SECRET),
    ];
    for (const read of reads) {
      await expect(settled(read())).rejects.toMatchObject({ code: "not-cached" });
    }
    expect((await settled(client.live.get(SECRET, KEY))).kind).toBe("Secret");
    await end();
  });

  it("fail in a namespace that is not among those of the kind", async () => {
    const kind = cacheOf(SECRET, { namespaces: ["d"], reads: "fail" });
    const { api, manager, settled, end } = await start({ kinds: [kind] }, watching(SECRET));
    api.put(pathOf("secrets"), secret());
    api.put(pathOf("secrets", "a", "e"), secret("a", "Secret", "e"));
    await settled(Promise.resolve());
    expect((await settled(manager.client.list(SECRET))).map(keyOf)).toEqual([KEY]);
    await expect(
      settled(manager.client.get(SECRET, { namespace: "e", name: "a" })),
    ).rejects.toMatchObject({ code: "not-cached" });
    // Kinds with namespaces of their own keep them.
    manager.cache.setNamespaces(["e"]);
    expect((await settled(manager.client.list(SECRET))).map(keyOf)).toEqual([KEY]);
    await end();
  });
});

describe("options that mean nothing", () => {
  it("are refused when they are given", () => {
    expect(() => cacheOf(HOUSE, { namespaces: ["d"] })).toThrow("the kind House is cluster-scoped");
    expect(() => cacheOf(SECRET, { labels: "a in (" })).toThrow();
    expect(() => cacheOf(SECRET, { labels: { a: "b,c" } })).toThrow("invalid label");
    const clock = new VirtualClock();
    const kinds = [cacheOf(SECRET, {}), cacheOf(SECRET, { reads: "fail" })];
    expect(() =>
      createManager({
        clock,
        transport: new MemoryApi(clock),
        log: silentLogger,
        cache: { kinds },
      }),
    ).toThrow("The cache of secrets is configured twice");
    // Its metadata alone is another thing to keep.
    expect(cacheOf(metadataOf(SECRET), {}).resource.metadataOnly).toBe(true);
    // @ts-expect-error a transform of a Secret gives a Secret
    cacheOf(SECRET, { transform: () => "x" });
    // @ts-expect-error an index is declared where the kind is watched
    cacheOf(SECRET, { indexes: {} });
  });
});

describe("a controller that runs", () => {
  it("watches another kind from now on, and no more when that is removed; then its informer can be", async () => {
    const { api, clock, manager, settled, end } = await start({}, () => undefined);
    const seen: string[] = [];
    const controller = controllerFor(manager)
      .named("late")
      .watches(CONFIG_MAP, { map: (object) => [keyOf(object)] })
      .complete({
        reconcile: ({ key }) => {
          seen.push(key.name);
          return Promise.resolve();
        },
      });
    await clock.advance(100);
    api.put(pathOf("secrets", "there"), secret("there"));
    const watch = controller.watch(SECRET, { map: (object) => [keyOf(object)] });
    await settled(watch.synced);
    api.put(pathOf("secrets", "later"), secret("later"));
    await clock.advance(100);
    expect(seen).toEqual(["there", "later"]);
    expect(() => {
      manager.cache.remove(SECRET);
    }).toThrow("they still have event handlers");
    watch.remove();
    api.put(pathOf("secrets", "unheard"), secret("unheard"));
    await clock.advance(100);
    expect(seen).toEqual(["there", "later"]);
    const before = api.openWatches;
    manager.cache.remove(SECRET);
    await clock.advance(100);
    expect(api.openWatches).toBe(before - 1);
    expect(manager.cache.health().map(({ resource }) => resource)).toEqual(["configmaps"]);
    // Nothing is read from what is not kept up to date any more.
    expect((await settled(manager.client.list(SECRET))).length).toBe(3);
    const again = controller.watch(SECRET, { map: (object) => [keyOf(object)] });
    await settled(again.synced);
    expect(seen).toContain("unheard");
    await end();
  });
});

describe("a second cluster", () => {
  it("has a client and a cache of its own, and feeds controllers here", async () => {
    const clock = new VirtualClock();
    const [here, there] = [new MemoryApi(clock), new MemoryApi(clock)];
    const manager = createManager({ clock, transport: here, log: silentLogger });
    const edge = createCluster(manager, {
      name: "edge",
      config: { server: "https://edge" } as never,
      transport: there,
    });
    const seen: string[] = [];
    controllerFor(manager)
      .named("both")
      .watches(SECRET, { map: ({ metadata }) => [{ name: `here-${metadata.name}` }] })
      .watches(SECRET, {
        map: ({ metadata }) => [{ name: `there-${metadata.name}` }],
        cluster: edge,
      })
      .complete({
        reconcile: ({ key }) => {
          seen.push(key.name);
          return Promise.resolve();
        },
      });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(100);
    here.put(pathOf("secrets"), secret());
    there.put(pathOf("secrets", "b"), secret("b"));
    await clock.advance(100);
    expect(seen.sort()).toEqual(["here-a", "there-b"]);
    expect((await edge.client.list(SECRET)).map(keyOf)).toEqual([{ ...KEY, name: "b" }]);
    expect((await manager.client.list(SECRET)).map(keyOf)).toEqual([KEY]);
    const text = await manager.metrics.registry.metrics();
    expect(text).toContain('tsop_informer_objects{resource="secrets of edge",state="synced"} 1');
    expect(text).toContain('tsop_informer_objects{resource="secrets",state="synced"} 1');
    stop.abort();
    await clock.advance(60_000);
    await running;
    expect(there.openWatches).toBe(0);
  });
});
