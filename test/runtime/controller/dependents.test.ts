import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import type { KubeObject, SentObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { isConflict } from "../../../src/kube/status.ts";
import type { CacheOptions } from "../../../src/runtime/cache/cache.ts";
import { controllerFor } from "../../../src/runtime/builder/builder.ts";
import { dependent, type Dependent } from "../../../src/runtime/controller/dependent.ts";
import type { Dependents, DependentsState } from "../../../src/runtime/controller/dependents.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { asRead } from "../../support/as-read.ts";

interface Site extends KubeObject {
  spec: { pages: string[] };
}

interface Page extends KubeObject {
  data?: { text?: string };
  status?: { ready?: boolean };
}

const core = { group: "", version: "v1", namespaced: true };
const PAGE: ResourceType<Page> = { ...core, kind: "ConfigMap", plural: "configmaps" };
const SITE: ResourceType<Site> = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
const PATH = "/apis/example.com/v1/namespaces/d/widgets/site";
const site = (...pages: string[]): Site =>
  asRead({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { namespace: "d", name: "site" },
    spec: { pages },
  });
const pagePath = (name: string): string => `/api/v1/namespaces/d/configmaps/${name}`;

async function start() {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const manager = createManager({ clock, transport: api, log: silentLogger });
  const states: DependentsState[] = [];
  const builder = controllerFor(manager).for(SITE);
  const dependents = builder.dependents({
    kinds: [PAGE],
    desired: ({ spec }) =>
      spec.pages.map((name) =>
        dependent(
          PAGE,
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text: name } },
          { ready: ({ status }) => status?.ready === true },
        ),
      ),
  });
  builder.complete({
    async reconcile({ key }) {
      const owner = await manager.client.find(SITE, key);
      if (owner) states.push(await dependents.reconcile(owner));
    },
  });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(100);
  return {
    clock,
    api,
    states,
    names: () =>
      api
        .objects("/api/v1/configmaps")
        .map(({ metadata }) => metadata.name)
        .sort(),
    /** As the kubelet would: `name` works now. */
    ready: async (name: string) => {
      const known = api.objects("/api/v1/configmaps").find((page) => page.metadata.name === name)!;
      api.put(pagePath(name), { ...known, status: { ready: true } } as Page);
      await clock.advance(100);
    },
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
    },
  };
}

/** A kind that is in no namespace, and one of the same scope that owns its objects. */
const ROOM: ResourceType = { ...core, kind: "Namespace", plural: "namespaces", namespaced: false };
const HOUSE: ResourceType = {
  ...core,
  group: "example.com",
  kind: "House",
  plural: "houses",
  namespaced: false,
};

/** Dependents that are called by the test, with the objects that it puts there. */
async function dependentsOf<O extends KubeObject>(
  kind: ResourceType<O>,
  kinds: readonly ResourceType[],
  { cache = {}, run = true }: { cache?: CacheOptions; run?: boolean } = {},
) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const manager = createManager({ clock, transport: api, log: silentLogger, cache });
  let wanted: readonly Dependent[] = [];
  const builder = controllerFor(manager).for(kind);
  const dependents: Dependents<O> = builder.dependents({ kinds, desired: () => wanted });
  builder.complete({ reconcile: () => Promise.resolve() });
  const stop = new AbortController();
  const running = run ? manager.start(stop.signal) : Promise.resolve();
  await clock.advance(100);
  return {
    clock,
    api,
    manager,
    dependents,
    wants: (...more: readonly Dependent[]) => {
      wanted = more;
    },
    reconcile: async (owner: O): Promise<DependentsState> => {
      const state = dependents.reconcile(owner);
      state.catch(() => undefined);
      await clock.advance(100);
      return state;
    },
    names: (collection: string) => api.objects(collection).map(({ metadata }) => metadata.name),
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
    },
  };
}

const page = (name: string, owner?: KubeObject): SentObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    namespace: "d",
    name,
    ...(owner ? { ownerReferences: [controllerReference(owner)], annotations: mark(owner) } : {}),
  },
});
/** As the controller marks what it makes for its owners. */
const mark = ({ kind }: KubeObject): Record<string, string> => ({
  "tsop.dev/dependents": `tsop/${kind.toLowerCase()}`,
});
const controllerReference = ({ apiVersion, kind, metadata }: KubeObject) => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
});
const dependentPage = (name: string, namespace?: string): Dependent =>
  dependent(PAGE, { metadata: { name, ...(namespace === undefined ? {} : { namespace }) } });

describe("what dependents delete", () => {
  it("is what the owner controls and wants no longer, with what belongs to it, and nothing else", async () => {
    const { api, clock, reconcile, names, end } = await dependentsOf(SITE, [PAGE]);
    const owner = api.put(PATH, site()) as Site;
    const other = api.put(`${PATH}2`, site());
    const old = api.put(pagePath("old"), page("old", owner));
    api.put(pagePath("others"), page("others", other));
    api.put(pagePath("nobodys"), page("nobodys"));
    const owned = page("owned", owner);
    owned.metadata.ownerReferences = [{ ...controllerReference(owner), controller: false }];
    api.put(pagePath("owned"), owned);
    const going = page("going", owner);
    going.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    api.put(pagePath("going"), going);
    await clock.advance(100);
    expect(await reconcile(owner)).toMatchObject({ pruned: ["ConfigMap d/old"] });
    expect(names("/api/v1/configmaps")).toEqual(["others", "nobodys", "owned", "going"]);
    const { uid, resourceVersion } = old.metadata;
    expect(api.deletions).toMatchObject([
      { preconditions: { uid, resourceVersion }, propagationPolicy: "Background" },
    ]);
    await end();
  });

  it.each<[string, (api: MemoryApi) => void]>([
    ["was given away", (api) => void api.put(pagePath("old"), page("old"))],
    [
      "was deleted and made again by somebody else",
      (api) => {
        api.remove(pagePath("old"));
        api.put(pagePath("old"), page("old"));
      },
    ],
  ])("is not what %s while the cache is late", async (_, change) => {
    const { api, clock, reconcile, names, end } = await dependentsOf(SITE, [PAGE]);
    const owner = api.put(PATH, site()) as Site;
    api.put(pagePath("old"), page("old", owner));
    await clock.advance(100);
    api.watchDelayMs = 10_000;
    change(api);
    await expect(reconcile(owner)).rejects.toSatisfy(isConflict);
    expect(names("/api/v1/configmaps")).toEqual(["old"]);
    await clock.advance(20_000);
    expect(await reconcile(owner)).toMatchObject({ pruned: [] });
    expect(names("/api/v1/configmaps")).toEqual(["old"]);
    await end();
  });

  it("may be gone by then; it goes the last kind first, and is not what is wanted in no namespace", async () => {
    const { api, clock, reconcile, wants, names, end } = await dependentsOf(HOUSE, [ROOM, PAGE]);
    const owner = api.put("/apis/example.com/v1/houses/h", {
      apiVersion: "example.com/v1",
      kind: "House",
      metadata: { name: "h" },
    });
    const room = (name: string): SentObject => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name,
        ownerReferences: [controllerReference(owner)],
        annotations: mark(owner),
      },
    });
    api.put("/api/v1/namespaces/hall", room("hall"));
    api.put("/api/v1/namespaces/attic", room("attic"));
    api.put(pagePath("old"), page("old", owner));
    await clock.advance(100);
    api.watchDelayMs = 10_000;
    api.remove(pagePath("old"));
    wants(dependent(ROOM, { metadata: { name: "hall" } }));
    expect(await reconcile(owner)).toMatchObject({
      ready: true,
      pruned: ["ConfigMap d/old", "Namespace attic"],
    });
    expect(names("/api/v1/namespaces")).toContain("hall");
    await clock.advance(20_000);
    await end();
  });
});

describe("dependents that are not as they must be", () => {
  it("write nothing before the manager runs", async () => {
    const { api, reconcile, wants, end } = await dependentsOf(SITE, [PAGE], { run: false });
    const owner = api.put(PATH, site()) as Site;
    wants(dependentPage("one"));
    await expect(reconcile(owner)).rejects.toMatchObject({ code: "dependents-not-watched" });
    expect(api.requests).toEqual([]);
    await end();
  });

  it("write nothing in a namespace that the cache does not have", async () => {
    const limited = { cache: { namespaces: ["other"] } };
    const { api, reconcile, wants, end } = await dependentsOf(SITE, [PAGE], limited);
    const owner = api.put(PATH, site()) as Site;
    wants(dependentPage("one"));
    await expect(reconcile(owner)).rejects.toMatchObject({
      code: "dependents-not-watched",
      message: expect.stringContaining("namespace d is not watched"),
    });
    expect(api.objects("/api/v1/configmaps")).toEqual([]);
    await end();
  });

  it.each<[string, (owner: Site) => Site, readonly Dependent[], string]>([
    [
      "a kind that is not among the kinds",
      (owner) => owner,
      [dependentPage("one"), dependent(ROOM, { metadata: { name: "hall" } })],
      "Namespace is not among the kinds",
    ],
    [
      "an object that is named twice",
      (owner) => owner,
      [dependentPage("one"), dependentPage("one", "d")],
      "ConfigMap d/one is wanted twice",
    ],
    ["an owner of another kind", (owner) => ({ ...owner, kind: "Gadget" }), [], "is not a Widget"],
    [
      "an owner that was not read",
      (owner) => ({
        ...owner,
        metadata: asRead({ metadata: { namespace: "d", name: "site" } }).metadata,
      }),
      [],
      "has no uid",
    ],
  ])("refuse %s before anything is written", async (_, ownerOf, desired, message) => {
    const { api, reconcile, wants, end } = await dependentsOf(SITE, [PAGE]);
    const owner = api.put(PATH, site()) as Site;
    wants(...desired);
    await expect(reconcile(ownerOf(owner))).rejects.toMatchObject({
      code: "dependents-misused",
      message: expect.stringContaining(message),
    });
    expect(api.objects("/api/v1/configmaps")).toEqual([]);
    await end();
  });

  it("take nothing that another object controls", async () => {
    const { api, clock, reconcile, wants, end } = await dependentsOf(SITE, [PAGE]);
    const owner = api.put(PATH, site()) as Site;
    const other = api.put(`${PATH}2`, { ...site(), metadata: { namespace: "d", name: "site2" } });
    api.put(pagePath("one"), page("one", other));
    await clock.advance(100);
    wants(dependentPage("one"));
    await expect(reconcile(owner)).rejects.toMatchObject({
      code: "already-owned",
      message: "ConfigMap one is already controlled by the Widget site2.",
    });
    await end();
  });

  it("are refused by the builder before for(), and of one kind twice", () => {
    const manager = createManager({
      clock: new VirtualClock(),
      transport: new MemoryApi(new VirtualClock()),
      log: silentLogger,
    });
    const options = { kinds: [PAGE], desired: () => [] };
    expect(() => controllerFor(manager).dependents(options)).toThrow("before for()");
    const builder = controllerFor(manager).for(SITE);
    builder.dependents(options);
    expect(() => builder.dependents(options)).toThrow(
      "two dependents() of one controller have the kind ConfigMap",
    );
  });
});

describe("Dependents", () => {
  it("applies one after the other, each when the one before is ready", async () => {
    const { clock, api, states, names, ready, end } = await start();
    api.put(PATH, site("one", "two"));
    await clock.advance(100);
    expect(names()).toEqual(["one"]);
    expect(states.at(-1)).toMatchObject({ ready: false, waitingFor: ["ConfigMap d/one"] });
    await ready("one");
    expect(names()).toEqual(["one", "two"]);
    await ready("two");
    expect(states.at(-1)).toMatchObject({ ready: true, pruned: [] });
    expect(states.at(-1)?.objects.map(({ metadata }) => metadata.name)).toEqual(["one", "two"]);
    await end();
  });

  it("deletes what is wanted no longer, and nothing that others control", async () => {
    const { clock, api, states, names, ready, end } = await start();
    api.put(pagePath("foreign"), {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "d", name: "foreign" },
    });
    api.put(PATH, site("one"));
    await clock.advance(100);
    await ready("one");
    api.put(PATH, site("other"));
    await clock.advance(100);
    expect(names()).toEqual(["foreign", "other"]);
    expect(states.some(({ pruned }) => pruned.includes("ConfigMap d/one"))).toBe(true);
    await end();
  });

  it("makes again what somebody deletes, and nothing for an owner that is going", async () => {
    const { clock, api, names, ready, end } = await start();
    api.put(PATH, site("one"));
    await clock.advance(100);
    await ready("one");
    api.remove(pagePath("one"));
    await clock.advance(100);
    expect(names()).toEqual(["one"]);
    const going = site("one", "two");
    going.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    api.put(PATH, going);
    await ready("one");
    expect(names()).toEqual(["one"]);
    await end();
  });
});
