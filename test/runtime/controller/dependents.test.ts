import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
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
