/** T37: rights and CRDs that go and come back, under an operator that is not restarted. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { controllerFor, createManager, type ResourceType } from "../../src/index.ts";
import { ClusterRole, ClusterRoleBinding, CustomResourceDefinition } from "../../src/k8s.ts";
import { HttpsTransport } from "../../src/runtime/transport/https-transport.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually as within } from "../support/eventually.ts";
import { BreakableTransport } from "./breakable-transport.ts";
import { connect, TARGETS, type Target } from "./targets.ts";
import { HurriedClock } from "../runtime/support/hurried-clock.ts";

const GROUP = "recovery.example.com";
const THING: ResourceType = {
  group: GROUP,
  version: "v1",
  kind: "Thing",
  plural: "things",
  namespaced: true,
};
const CRD = {
  metadata: { name: `things.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced" as const,
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object" } },
      },
    ],
  },
};

/** A reflector that was cut off often waits up to 30 seconds before it asks again. */
const eventually = <T>(step: () => T | Promise<T>): Promise<T> =>
  within(step, { timeoutMs: 40_000 });

describe.each(TARGETS)("an operator under which %s changes", (_, kubeconfig) => {
  let target: Target;

  beforeEach(async () => {
    target = await connect(kubeconfig);
  });

  afterEach(async () => {
    const { client, run: name } = target;
    await client.delete(CustomResourceDefinition, { name: CRD.metadata.name });
    await client.delete(ClusterRoleBinding, { name });
    await client.delete(ClusterRole, { name });
    await target.end();
  });

  const role = (verbs: string[]) => ({
    metadata: { name: target.run },
    rules: [{ apiGroups: [GROUP], resources: ["things"], verbs }],
  });

  function start() {
    const config = { ...target.config, impersonate: { user: target.run } };
    const transport = new BreakableTransport(new HttpsTransport(config, "tsop-e2e"));
    const clock = new HurriedClock();
    const manager = createManager({ transport, log: silentLogger, clock });
    const seen: string[] = [];
    controllerFor(manager)
      .for(THING)
      .complete({
        async reconcile({ key }) {
          const there = (await manager.client.find(THING, key)) ? "there" : "gone";
          seen.push(`${key.name} ${there}`);
        },
      });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    return {
      manager,
      transport,
      seen,
      end: async () => {
        stop.abort();
        await running;
        transport.close();
      },
    };
  }

  it(
    "T37: says which right is missing, and goes on when it is given back",
    { timeout: 120_000 },
    async () => {
      const { client, run: name, namespaces } = target;
      const [namespace] = namespaces;
      await client.create(CustomResourceDefinition, CRD);
      await client.create(ClusterRole, role(["get", "list", "watch"]));
      await client.create(ClusterRoleBinding, {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
        subjects: [{ kind: "User", name, apiGroup: "rbac.authorization.k8s.io" }],
      });
      const { manager, transport, seen, end } = start();
      const create = (thing: string) =>
        eventually(() => client.create(THING, { metadata: { namespace, name: thing } }));
      await create("first");
      await eventually(() => {
        expect(seen).toEqual(["first there"]);
      });
      await client.apply(ClusterRole, role(["delete"]));
      transport.end();
      await eventually(() => {
        const [health] = manager.cache.health();
        expect(health?.problem).toContain(`cannot watch things.${GROUP}`);
        expect(health?.problem).toContain('verbs: ["list", "watch"]');
      });
      await eventually(() => client.apply(ClusterRole, role(["get", "list", "watch"])));
      await create("second");
      await eventually(() => {
        expect(seen).toContain("second there");
      });
      await eventually(() => {
        expect(manager.cache.health()[0]?.problem).toBeUndefined();
      });

      await eventually(() => client.delete(CustomResourceDefinition, { name: CRD.metadata.name }));
      transport.end();
      await eventually(() => {
        expect(manager.cache.health()[0]?.problem).toContain("is not served: install its CRD");
      });
      await eventually(() => client.create(CustomResourceDefinition, CRD));
      await create("third");
      await eventually(() => {
        expect(seen).toContain("third there");
      });
      expect(await manager.client.list(THING)).toHaveLength(1);
      await end();
    },
  );
});
