import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { StatusError } from "../../../src/kube/status.ts";
import type { Client } from "../../../src/runtime/client/client.ts";
import { controllerFor } from "../../../src/runtime/controller/builder.ts";
import {
  dependent,
  Dependents,
  type DependentsState,
} from "../../../src/runtime/controller/dependents.ts";
import { createManager } from "../../../src/runtime/manager/manager.ts";
import { MemoryApi } from "../support/memory-api.ts";

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
const site = (...pages: string[]): Site => ({
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
  const dependents = new Dependents<Site>(manager.client, {
    kinds: [PAGE],
    desired: ({ spec }) =>
      spec.pages.map((name) =>
        dependent(
          PAGE,
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text: name } },
          ({ status }) => status?.ready === true,
        ),
      ),
  });
  controllerFor(manager)
    .for(SITE)
    .dependents(dependents)
    .complete({
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

/** A kind that is in no namespace. */
const ROOM: ResourceType = { ...core, kind: "Namespace", plural: "namespaces", namespaced: false };

/** Dependents of an owner whose client has what the test says, and writes down what it is asked to delete. */
function pruner(existing: readonly KubeObject[], failure?: Error) {
  const deleted: { readonly name: string; readonly uid: string | undefined }[] = [];
  const client = {
    list: ({ kind }: ResourceType) =>
      Promise.resolve(existing.filter((object) => object.kind === kind)),
    apply: (_: unknown, { metadata }: KubeObject) => Promise.resolve({ metadata }),
    delete: (
      { kind }: ResourceType,
      { name }: { readonly name: string },
      options?: { readonly preconditions?: { readonly uid?: string } },
    ) => {
      deleted.push({ name: `${kind} ${name}`, uid: options?.preconditions?.uid });
      return failure ? Promise.reject(failure) : Promise.resolve();
    },
  } as unknown as Client;
  return { client, deleted };
}

const owned = (kind: string, name: string, namespace?: string): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, uid: `uid of ${name}`, ...(namespace === undefined ? {} : { namespace }) },
});

describe("what dependents delete", () => {
  const owner = { ...site(), metadata: { namespace: "d", name: "site", uid: "s" } };

  it("is exactly what was looked at, the last kind first, and not what is going already", async () => {
    const going = owned("ConfigMap", "going", "d");
    going.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    const { client, deleted } = pruner([
      owned("Namespace", "hall"),
      owned("ConfigMap", "one", "d"),
      going,
    ]);
    const dependents = new Dependents<Site>(client, { kinds: [ROOM, PAGE], desired: () => [] });
    const { pruned } = await dependents.reconcile(owner);
    expect(deleted).toEqual([
      { name: "ConfigMap one", uid: "uid of one" },
      { name: "Namespace hall", uid: "uid of hall" },
    ]);
    expect(pruned).toEqual(["ConfigMap d/one", "Namespace hall"]);
  });

  it("does not include what is wanted and lives in no namespace", async () => {
    const { client, deleted } = pruner([owned("Namespace", "hall")]);
    const wanted = dependent(ROOM, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "hall" },
    });
    const dependents = new Dependents<Site>(client, { kinds: [ROOM], desired: () => [wanted] });
    expect(await dependents.reconcile(owner)).toMatchObject({ ready: true, pruned: [] });
    expect(deleted).toEqual([]);
  });

  it("may be gone by then; any other failure is the reconcile's", async () => {
    const reconcileAfter = (failure: Error) => {
      const { client } = pruner([owned("ConfigMap", "one", "d")], failure);
      return new Dependents<Site>(client, { kinds: [PAGE], desired: () => [] }).reconcile(owner);
    };
    const failureOf = (code: number, reason: string): StatusError =>
      new StatusError({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        code,
        reason,
        message: reason,
      });
    expect(await reconcileAfter(failureOf(404, "NotFound"))).toMatchObject({ ready: true });
    await expect(reconcileAfter(failureOf(403, "Forbidden"))).rejects.toThrow("Forbidden");
  });
});

describe("Dependents", () => {
  it("applies one after the other, each when the one before is ready", async () => {
    const { clock, api, states, names, ready, end } = await start();
    api.put(PATH, site("one", "two"));
    await clock.advance(100);
    expect(names()).toEqual(["one"]);
    expect(states.at(-1)).toMatchObject({ ready: false, waitingFor: "ConfigMap d/one" });
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
