/** A status that several write to, on an API server. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  controllerFor,
  createManager,
  isConflict,
  keyOf,
  mutableCopy,
  setCondition,
  type Client,
  type Condition,
  type Manager,
} from "../../src/index.ts";
import { CustomResourceDefinition } from "../../src/k8s.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually } from "../support/eventually.ts";
import { MyWeb, MYWEB_CRD, MyWebSpec } from "./myweb.ts";
import { connect, TARGETS, type Target } from "./targets.ts";

const change = (type: string) =>
  ({ type, status: "True", reason: "Written", message: "It was written." }) as const;
/** As a reconciler of that condition would, with a function of the current status. */
const writes = (type: string) => (status?: { readonly conditions?: Condition[] }) => ({
  conditions: setCondition(status?.conditions, change(type), 0),
});
const typesOf = (web: MyWeb): string[] =>
  (web.status?.conditions ?? []).map(({ type }) => type).sort();

describe.each(TARGETS)("conditions of several writers on %s", (_, kubeconfig) => {
  let target: Target;
  let manager: Manager;
  let running: Promise<void>;
  const stop = new AbortController();

  const make = async (name: string): Promise<MyWeb> => {
    const web = await target.client.create(MyWeb, {
      metadata: { namespace: target.namespaces[0], name },
      spec: Object.assign(new MyWebSpec(), { pageContentHtml: "x" }),
    });
    return eventually(() => manager.client.get(MyWeb, keyOf(web)));
  };
  const clients = (): readonly [string, Client][] => [
    ["cached", manager.client],
    ["live", target.client],
  ];

  beforeAll(async () => {
    target = await connect(kubeconfig);
    const known = await target.client.find(CustomResourceDefinition, MYWEB_CRD.metadata);
    if (!known) await target.client.create(CustomResourceDefinition, MYWEB_CRD);
    await eventually(() => target.client.list(MyWeb), { timeoutMs: 30_000 });
    manager = createManager({ config: target.config, log: silentLogger });
    controllerFor(manager)
      .for(MyWeb)
      .complete({ reconcile: () => Promise.resolve() });
    running = manager.start(stop.signal);
    await manager.cache.synced();
  });

  afterAll(async () => {
    stop.abort();
    await running;
    await target.end();
  });

  it("survive, however many write at once", async () => {
    const web = await make("many");
    const types = Array.from({ length: 4 }, (_, index) => `Type${index}`);
    await Promise.all(
      types.map((type, index) => clients()[index % 2]![1].status.patch(web, writes(type))),
    );
    expect(typesOf(await target.client.get(MyWeb, keyOf(web)))).toEqual(types);
  });

  it("survive what was read long ago, with the other fields of the status", async () => {
    for (const [name, client] of clients()) {
      const web = await make(`late-${name}`);
      const others = await target.client.status.patch(web, {
        readyReplicas: 3,
        conditions: writes("Others")().conditions,
      });
      await client.status.patch(web, writes("Mine"));
      const { status } = await target.client.get(MyWeb, keyOf(others));
      expect(status?.readyReplicas).toBe(3);
      expect(status?.conditions?.map(({ type }) => type)).toEqual(["Others", "Mine"]);
    }
  });

  it("are not overwritten by a patch that was made of what was read: it is a conflict", async () => {
    for (const [name, client] of clients()) {
      const web = await make(`plain-${name}`);
      await target.client.status.patch(web, writes("Others"));
      const mine = writes("Mine")(web.status);
      await expect(client.status.patch(web, mine)).rejects.toSatisfy(isConflict);
      expect(typesOf(await target.client.get(MyWeb, keyOf(web)))).toEqual(["Others"]);
      // Without a list there is nothing to lose, and with the option it is the caller's word.
      await client.status.patch(web, { readyReplicas: 1 });
      const locked = client.status.patch(web, { readyReplicas: 2 }, { optimisticLock: true });
      await expect(locked).rejects.toSatisfy(isConflict);
      await client.status.patch(web, mine, { optimisticLock: false });
      expect(typesOf(await target.client.get(MyWeb, keyOf(web)))).toEqual(["Mine"]);
    }
  });

  it("are refused of an object that was not read, unless a function makes them", async () => {
    const byHand = mutableCopy(await make("by-hand"));
    Reflect.deleteProperty(byHand.metadata, "resourceVersion");
    for (const [, client] of clients()) {
      await expect(client.status.patch(byHand, writes("Mine")())).rejects.toMatchObject({
        code: "lock-without-version",
      });
    }
    await target.client.status.patch(byHand, writes("Mine"));
    expect(typesOf(await target.client.get(MyWeb, keyOf(byHand)))).toEqual(["Mine"]);
  });

  it("are not written again when they are as they should be", async () => {
    const web = await make("same");
    const written = await manager.client.status.patch(web, writes("Mine"));
    const again = await manager.client.status.patch(web, writes("Mine"));
    expect(again.metadata.resourceVersion).toBe(written.metadata.resourceVersion);
  });

  it("of an object that was deleted and made again are not those of the first", async () => {
    for (const [name, client] of clients()) {
      const web = await make(`again-${name}`);
      await target.client.delete(MyWeb, keyOf(web));
      await make(`again-${name}`);
      await expect(client.status.patch(web, writes("Mine"))).rejects.toSatisfy(isConflict);
    }
  });
});
