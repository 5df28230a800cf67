import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/clock.ts";
import { builtInResources } from "../../../../src/controlplane/builtin/resources.ts";
import type { ServedResource } from "../../../../src/controlplane/kinds.ts";
import { followApiServices } from "../../../../src/controlplane/server/cluster/api-services.ts";
import type { Cluster } from "../../../../src/controlplane/server/cluster/cluster.ts";
import { Registry } from "../../../../src/controlplane/server/cluster/registry.ts";
import { Store } from "../../../../src/controlplane/store/store.ts";

const widgets = {
  ...builtInResources()[0],
  group: "shop.example.com",
  version: "v1beta1",
  plural: "widgets",
  builtIn: false,
} as ServedResource;

function start(): { store: Store; registry: Registry; names: () => string[] } {
  const store = new Store();
  const registry = new Registry(builtInResources());
  followApiServices({ store, registry, clock: systemClock } as Cluster);
  const names = (): string[] =>
    store.list("apiservices.apiregistration.k8s.io").map(({ metadata }) => metadata.name ?? "");
  return { store, registry, names };
}

describe("followApiServices", () => {
  it("has one object for each built-in group and version, the core group without a name", () => {
    const { names, store } = start();
    expect(names()).toEqual(expect.arrayContaining(["v1.", "v1.apps", "v2.autoscaling"]));
    expect(store.get("apiservices.apiregistration.k8s.io", "v1.apps")).toMatchObject({
      spec: { group: "apps", version: "v1", groupPriorityMinimum: 17_800, versionPriority: 15 },
    });
  });

  it("follows custom groups as they come and go", () => {
    const { names, registry } = start();
    registry.setCustom("widgets.shop.example.com", [widgets]);
    expect(names()).toContain("v1beta1.shop.example.com");
    registry.setCustom("widgets.shop.example.com", []);
    expect(names()).not.toContain("v1beta1.shop.example.com");
    expect(names()).toContain("v1.apps");
  });
});
