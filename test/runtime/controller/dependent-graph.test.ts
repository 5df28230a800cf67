/* oxlint-disable typescript/no-misused-spread --
   objects of a kind are plain ones */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { CustomResource, Resource } from "../../../src/markers/resource.ts";
import { controllerFor } from "../../../src/runtime/builder/builder.ts";
import { dependent, external, type Dependent } from "../../../src/runtime/controller/dependent.ts";
import type { DependentsState } from "../../../src/runtime/controller/dependents.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../../../src/runtime/transport/transport.ts";
import { withSeeds } from "../../../src/testing.ts";
import { asRead } from "../../support/as-read.ts";
import { MemoryApi } from "../support/memory-api.ts";

interface Page extends KubeObject {
  data?: Record<string, string>;
  status?: { ready?: boolean };
}

class SiteSpec {
  pages: string[] = [];
  bucket: boolean = false;
}

@Resource({ group: "example.com", version: "v1", kind: "Widget" })
class Site extends CustomResource<SiteSpec> {}

const core = { group: "", version: "v1", namespaced: true };
const PAGE: ResourceType<Page> = { ...core, kind: "ConfigMap", plural: "configmaps" };
const NOTE: ResourceType<Page> = { ...core, kind: "Secret", plural: "secrets" };
const PATH = "/apis/example.com/v1/namespaces/d/widgets/site";
const PAGES = "/api/v1/configmaps";
const pagePath = (name: string): string => `/api/v1/namespaces/d/configmaps/${name}`;
const site = (pages: string[] = [], bucket = false): Site =>
  asRead({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { namespace: "d", name: "site" },
    spec: { pages, bucket },
  });
const isReady = ({ status }: Page): boolean => status?.ready === true;
const page = (name: string, after?: readonly Dependent[]): Dependent =>
  dependent(PAGE, { metadata: { name } }, { ready: isReady, ...(after ? { after } : {}) });

interface Setup {
  readonly desired: (site: Site) => readonly Dependent[];
  readonly deletion?: "reverse";
}

async function start({ desired, deletion }: Setup) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const manager = createManager({ clock, transport: api, log: silentLogger });
  const states: DependentsState[] = [];
  const failures: string[] = [];
  const builder = controllerFor(manager).for(Site);
  const dependents = builder.dependents({
    kinds: [PAGE, NOTE],
    desired,
    ...(deletion ? { deletion } : {}),
  });
  builder.complete({
    async reconcile({ key }) {
      const owner = await manager.client.find(Site, key);
      if (owner) states.push(await dependents.reconcile(owner));
    },
    cleanup: (owner: Site, context) => dependents.cleanup(owner, context),
    onError(_: Site, error) {
      failures.push(error.message);
      return Promise.resolve();
    },
  });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(100);
  const names = (): (string | undefined)[] =>
    api
      .objects(PAGES)
      .map(({ metadata }) => metadata.name)
      .sort();
  const change = async (name: string, part: Partial<Page>): Promise<void> => {
    const known = api.objects(PAGES).find(({ metadata }) => metadata.name === name);
    api.put(pagePath(name), { ...known!, ...part });
    await clock.advance(100);
  };
  return {
    clock,
    api,
    manager,
    states,
    failures,
    names,
    change,
    ready: (name: string) => change(name, { status: { ready: true } }),
    put: async (object: Site) => {
      const [known] = api.objects("/apis/example.com/v1/widgets");
      api.put(PATH, { ...object, metadata: { ...known?.metadata, ...object.metadata } });
      await clock.advance(100);
    },
    delete: async () => {
      await manager.client.live.delete(Site, { namespace: "d", name: "site" });
      await clock.advance(100);
    },
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
    },
  };
}

describe("the order of dependents", () => {
  it("begins branches side by side, and what joins them when both are ready", async () => {
    const { put, names, states, ready, end } = await start({
      desired: () => {
        const [left, right] = [page("left", []), page("right", [])];
        return [page("join", [left, right]), left, right, page("next", [left])];
      },
    });
    await put(site());
    expect(names()).toEqual(["left", "right"]);
    expect(states.at(-1)?.waitingFor).toEqual(["ConfigMap d/left", "ConfigMap d/right"]);
    await ready("left");
    expect(names()).toEqual(["left", "next", "right"]);
    await ready("right");
    expect(names()).toEqual(["join", "left", "next", "right"]);
    await ready("next");
    await ready("join");
    expect(states.at(-1)).toMatchObject({ ready: true, waitingFor: [] });
    await end();
  });

  it("goes on in the other branches when one fails, and fails then", async () => {
    const { api, put, names, failures, end } = await start({
      desired: () => {
        const taken = dependent(PAGE, { metadata: { name: "taken" } }, { after: [] });
        return [taken, page("never", [taken]), page("free", [])];
      },
    });
    const controller = { apiVersion: "v1", kind: "Pod", name: "x", uid: "x", controller: true };
    api.put(pagePath("taken"), {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "d", name: "taken", ownerReferences: [controller] },
    });
    await put(site());
    expect(names()).toEqual(["free", "taken"]);
    expect(failures[0]).toContain("already controlled by the Pod x");
    await end();
  });

  it.each<[string, () => readonly Dependent[], string]>([
    [
      "one that is not in the list",
      () => [page("b", [page("a")])],
      "ConfigMap d/b comes after ConfigMap d/a, which the Widget site does not want",
    ],
    [
      "the one before it in the list, which comes after it itself",
      () => {
        const late = page("late");
        return [page("early", [late]), late];
      },
      "Each of these comes after the next: ConfigMap d/early, ConfigMap d/late, ConfigMap d/early",
    ],
  ])("is refused before anything is written where one comes after %s", async (_, desired, why) => {
    const { put, names, failures, end } = await start({ desired });
    await put(site());
    expect(names()).toEqual([]);
    expect(failures[0]).toContain(why);
    await end();
  });

  it("is backwards when the owner is deleted, if that is asked for: each waits until what comes after it is gone", async () => {
    const {
      api,
      put,
      names,
      ready,
      clock,
      delete: remove,
      end,
    } = await start({
      deletion: "reverse",
      desired: () => {
        const [left, right] = [page("left", []), page("right", [])];
        return [left, right, page("join", [left, right])];
      },
    });
    await put(site());
    await ready("left");
    await ready("right");
    // Something holds it for a while.
    const join = api.objects(PAGES).find(({ metadata }) => metadata.name === "join")!;
    api.put(pagePath("join"), { ...join, metadata: { ...join.metadata, finalizers: ["x/y"] } });
    await clock.advance(100);
    await remove();
    expect(names()).toEqual(["join", "left", "right"]);
    await clock.advance(20_000);
    expect(names()).toEqual(["join", "left", "right"]);
    const held = api.objects(PAGES).find(({ metadata }) => metadata.name === "join")!;
    expect(held.metadata.deletionTimestamp).toBeDefined();
    api.remove(pagePath("join"));
    await clock.advance(20_000);
    expect(names()).toEqual([]);
    expect(api.objects("/apis/example.com/v1/widgets")).toEqual([]);
    await end();
  });
});

describe("a dependent that is being deleted or is paused", () => {
  it("is waited for, and made again when it is gone", async () => {
    const { api, put, names, states, clock, end } = await start({
      desired: () => [dependent(PAGE, { metadata: { name: "one" }, data: { a: "b" } })],
    });
    await put(site());
    const [one] = api.objects(PAGES);
    const metadata = {
      ...one!.metadata,
      finalizers: ["x/y"],
      deletionTimestamp: "2026-01-01T00:00:00Z",
    };
    api.put(pagePath("one"), { ...one!, metadata });
    await clock.advance(100);
    expect(states.at(-1)).toMatchObject({ ready: false, waitingFor: ["ConfigMap d/one"] });
    api.remove(pagePath("one"));
    await clock.advance(1000);
    expect(names()).toEqual(["one"]);
    expect(states.at(-1)?.ready).toBe(true);
    await end();
  });

  it("is left as people changed it, and is not deleted when it is wanted no longer", async () => {
    let wanted = true;
    const { api, put, names, states, change, end } = await start({
      desired: () =>
        wanted ? [dependent(PAGE, { metadata: { name: "one" }, data: { a: "ours" } })] : [],
    });
    await put(site());
    const [one] = api.objects(PAGES);
    const annotations = { ...one?.metadata.annotations, "tsop.dev/paused": "true" };
    const metadata = { ...one!.metadata, annotations };
    await change("one", { data: { a: "theirs" }, metadata });
    expect((api.objects(PAGES)[0] as Page).data).toEqual({ a: "theirs" });
    expect(states.at(-1)?.ready).toBe(true);
    wanted = false;
    await put(site(["x"]));
    expect(names()).toEqual(["one"]);
    await end();
  });
});

describe("two controllers of one kind whose dependents have a kind in common", () => {
  it("keep their own, and delete nothing of each other's, nor what has no mark", async () => {
    const clock = new VirtualClock();
    const api = new MemoryApi(clock);
    const manager = createManager({ clock, transport: api, log: silentLogger });
    for (const name of ["first", "second"]) {
      const builder = controllerFor(manager).for(Site).named(name);
      const dependents = builder.dependents({
        kinds: [PAGE],
        desired: ({ spec }) =>
          spec.pages.map((own) => dependent(PAGE, { metadata: { name: `${name}-${own}` } })),
      });
      builder.complete({
        async reconcile({ key }) {
          const owner = await manager.client.find(Site, key);
          if (owner) await dependents.reconcile(owner);
        },
      });
    }
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(100);
    const owner = api.put(PATH, site(["a", "b"]));
    const { apiVersion, kind, metadata } = owner;
    const { name, uid } = metadata;
    api.put(pagePath("from-before"), {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        namespace: "d",
        name: "from-before",
        ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
      },
    });
    await clock.advance(1000);
    const names = () =>
      api
        .objects(PAGES)
        .map((one) => one.metadata.name)
        .sort();
    expect(names()).toEqual(["first-a", "first-b", "from-before", "second-a", "second-b"]);
    api.put(PATH, { ...owner, spec: { pages: ["a"], bucket: false } } as KubeObject);
    await clock.advance(1000);
    expect(names()).toEqual(["first-a", "from-before", "second-a"]);
    const first = api.objects(PAGES).find((one) => one.metadata.name === "first-a");
    expect(first?.metadata.annotations).toEqual({
      "tsop.dev/dependents": "tsop/first",
    });
    stop.abort();
    await clock.advance(60_000);
    await running;
  });
});

describe("what is outside of the cluster", () => {
  const bucket = external({
    name: "bucket",
    ensure: (owner: Site) => Promise.resolve(owner.spec.bucket),
    remove: () => Promise.resolve(undefined),
  });

  it("needs a cleanup, and must be known from the start", async () => {
    const manager = createManager({
      transport: new MemoryApi(new VirtualClock()),
      log: silentLogger,
    });
    const builder = controllerFor(manager).for(Site);
    builder.dependents({ kinds: [], externals: [bucket], desired: () => [dependent(bucket)] });
    expect(() => builder.complete({ reconcile: () => Promise.resolve() })).toThrow(
      "its dependents are removed by cleanup(), which its reconciler does not have",
    );
    const { put, failures, end } = await start({ desired: () => [dependent(bucket)] });
    await put(site());
    expect(failures[0]).toContain(
      "bucket is wanted by the Widget site, but is not among the externals",
    );
    await end();
  });

  it("does not compile for owners of another kind", () => {
    const manager = createManager({
      transport: new MemoryApi(new VirtualClock()),
      log: silentLogger,
    });
    interface Other extends KubeObject {
      other: string;
    }
    const OTHER: ResourceType<Other> = { ...core, kind: "Other", plural: "others" };
    const builder = controllerFor(manager).for(OTHER);
    // @ts-expect-error the bucket is made for a Site
    builder.dependents({ kinds: [], externals: [bucket], desired: () => [] });
    expect(bucket.name).toBe("bucket");
  });
});

/** The way to an API server of one process: when that dies, nothing more goes through, in either direction. */
class MortalTransport implements Transport {
  readonly server = "https://memory:6443";
  readonly #api: MemoryApi;
  #isDead = false;

  constructor(api: MemoryApi) {
    this.#api = api;
  }

  kill(): void {
    this.#isDead = true;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.#assertAlive();
    const answer = await this.#api.request(request);
    this.#assertAlive();
    return answer;
  }

  close(): void {
    this.kill();
  }

  #assertAlive(): void {
    if (this.#isDead) throw new ConnectionError("reset", this.server, "the process is dead");
  }
}

describe("dependents of a process that dies anywhere", () => {
  it("come to what the owner wants, and leave nothing behind when it is deleted", async () => {
    await withSeeds(30, async (clock) => {
      const api = new MemoryApi(clock);
      api.latencyMs = 3;
      api.watchDelayMs = 4;
      const buckets = new Set<string>();
      const begin = () => {
        const transport = new MortalTransport(api);
        let isDead = false;
        const manager = createManager({ clock, transport, log: silentLogger });
        const outside = async (): Promise<void> => {
          await clock.sleep(5);
          if (isDead) await new Promise(() => undefined);
        };
        const bucket = external({
          name: "bucket",
          async ensure({ metadata }: Site) {
            await outside();
            buckets.add(metadata.uid);
            await outside();
          },
          async remove({ metadata }: Site) {
            await outside();
            const wasThere = buckets.delete(metadata.uid);
            await outside();
            return !wasThere;
          },
        });
        const builder = controllerFor(manager).for(Site);
        const dependents = builder.dependents({
          kinds: [PAGE, NOTE],
          externals: [bucket],
          deletion: "reverse",
          desired: ({ spec }) => {
            const first = dependent(NOTE, { metadata: { name: "note" } });
            const outer = spec.bucket ? [dependent(bucket, { after: [] })] : [];
            const pages = spec.pages.map((name) =>
              dependent(PAGE, { metadata: { name } }, { after: [first, ...outer] }),
            );
            return [first, ...outer, ...pages];
          },
        });
        builder.complete({
          async reconcile({ key }) {
            const owner = await manager.client.find(Site, key);
            if (owner) await dependents.reconcile(owner);
          },
          cleanup: (owner: Site, context) => dependents.cleanup(owner, context),
        });
        const stop = new AbortController();
        manager.start(stop.signal).catch(() => undefined);
        return () => {
          isDead = true;
          transport.kill();
          stop.abort();
        };
      };
      let kill = begin();
      const draw = (count: number): number => Math.floor(clock.random() * count);
      const crash = async (): Promise<void> => {
        await clock.advance(draw(60));
        kill();
        kill = begin();
      };
      const want = (wanted: Site): void => {
        const [known] = api.objects("/apis/example.com/v1/widgets");
        api.put(PATH, { ...wanted, metadata: { ...known?.metadata, ...wanted.metadata } });
      };
      let last = site();
      for (let round = 0; round < 4; round++) {
        last = site(["a", "b", "c"].slice(draw(4)), draw(2) === 1);
        want(last);
        for (let times = draw(4); times > 0; times--) await crash();
      }
      await clock.advance(60_000);
      const names = api
        .objects(PAGES)
        .map(({ metadata }) => metadata.name)
        .sort();
      expect(names).toEqual([...last.spec.pages].sort());
      const [owner] = api.objects("/apis/example.com/v1/widgets");
      expect([...buckets]).toEqual(last.spec.bucket ? [owner?.metadata.uid] : []);

      const deleted = api.request({ method: "DELETE", path: PATH, body: "{}" });
      await clock.advance(3);
      await deleted;
      for (let times = 0; times < 4; times++) {
        await crash();
        // Whatever is still there, the owner is too.
        const isGone = api.objects("/apis/example.com/v1/widgets").length === 0;
        const left = [...buckets, ...api.objects(PAGES), ...api.objects("/api/v1/secrets")];
        if (isGone) expect(left).toEqual([]);
      }
      await clock.advance(120_000);
      expect(api.objects("/apis/example.com/v1/widgets")).toEqual([]);
      expect([...buckets, ...api.objects(PAGES), ...api.objects("/api/v1/secrets")]).toEqual([]);
      kill();
      await clock.advance(60_000);
    });
  });
});
