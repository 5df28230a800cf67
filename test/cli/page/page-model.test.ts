/** What the page is told of a real operator on a control plane: objects, reconciles, events, queues, rights. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock, VirtualClock } from "../../../src/clock.ts";
import { PageModel } from "../../../src/cli/page/page-model.ts";
import type { PageMessage } from "../../../src/cli/page/protocol.ts";
import { controllerFor, createManager, type Manager } from "../../../src/index.ts";
import { ConfigMap, Deployment, Secret } from "../../../src/k8s.ts";
import { NOTHING, withMessage, type PageState } from "../../../src/page/state.ts";
import {
  clientFor,
  inProcess,
  silentLogger,
  startControlPlane,
  type ControlPlane,
} from "../../../src/testing.ts";

const ONE = { namespace: "default", name: "one" };
const GRANTED = ["configmaps", "secrets", "deployments"].map((resource) => ({
  group: resource === "deployments" ? "apps" : "",
  resource,
  verb: "patch",
  scope: "everywhere",
}));
const SCOPE = { roots: [{ group: "", kind: "ConfigMap" }], granted: GRANTED };

/** Of what follows the operator: it waits no longer than it takes. */
let clock: VirtualClock;
let cluster: ControlPlane;
let stop: AbortController;
let model: PageModel;
let state: PageState;
let running: Promise<void>[];

beforeEach(async () => {
  clock = new VirtualClock({ startMs: systemClock.now() });
  cluster = await startControlPlane({ listen: false });
  stop = new AbortController();
  state = NOTHING;
  running = [];
});
afterEach(async () => {
  stop.abort();
  await model.stop();
  await Promise.all(running);
  await cluster.stop();
});

/** What is so after some time, however much that is on this machine. */
const inTime = <T>(get: () => T): ReturnType<typeof expect.poll<T>> =>
  expect.poll(
    async () => {
      await clock.advance(100);
      return get();
    },
    { timeout: 50_000, interval: 10 },
  );

const hear = (message: PageMessage): void => {
  state = withMessage(state, message);
};

/** An operator that makes a Secret and a Deployment for each ConfigMap that is named `one`. */
function startOperator(signal: AbortSignal): Manager {
  const manager = createManager({
    transport: inProcess(cluster),
    log: silentLogger,
    debug: { port: 0 },
  });
  controllerFor(manager)
    .for(ConfigMap)
    .complete({
      reconcile: async ({ key }) => {
        if (key.name !== "one") return;
        const owner = await manager.client.get(ConfigMap, ONE);
        const secret = { metadata: ONE, stringData: { password: "s3cr3t" } };
        await manager.client.apply(Secret, secret, { owner });
        const labels = { app: "one" };
        const template = {
          metadata: { labels },
          spec: { containers: [{ name: "web", image: "web:1" }] },
        };
        const spec = { selector: { matchLabels: labels }, template };
        await manager.client.apply(Deployment, { metadata: ONE, spec }, { owner });
      },
    });
  running.push(manager.start(signal));
  return manager;
}

function show(manager: () => Manager): void {
  model = new PageModel({
    title: { name: "one", place: "tsop dev" },
    clock,
    openTransport: () => inProcess(cluster),
    findOperator: () => {
      const { debug } = manager().ports;
      const places = [{ url: `http://127.0.0.1:${debug}` }];
      const found = { places, close: () => Promise.resolve() };
      return Promise.resolve(debug === undefined ? undefined : found);
    },
  });
  model.setScope(SCOPE);
  model.look(hear, stop.signal);
}

/** The ConfigMaps that every namespace has are of the project's kinds here, too. */
const ownedKinds = (): string[] =>
  [...state.objects.values()]
    .map(({ kind }) => kind)
    .filter((kind) => kind !== "ConfigMap")
    .sort();

describe("what the page is told", () => {
  it("is the objects with what they own, the reconciles, the events, the queues and the rights", async () => {
    const manager = startOperator(stop.signal);
    show(() => manager);
    await clientFor(cluster).create(ConfigMap, { metadata: ONE });
    await inTime(ownedKinds).toEqual(["Deployment", "Pod", "ReplicaSet", "Secret"]);
    const pod = (): string | undefined =>
      [...state.objects.values()].find(({ kind }) => kind === "Pod")?.status;
    await inTime(pod).toBe("Current");
    await inTime(() => state.operator.state).toBe("running");
    await inTime(() => state.reconciles.some(({ writes }) => writes.length === 2)).toBe(true);
    await inTime(() => [...state.events.values()].map(({ reason }) => reason)).toContain(
      "ScalingReplicaSet",
    );
    const right = (verb: string, resource: string): number | undefined =>
      state.rights.find((one) => one.verb === verb && one.resource === resource)?.used;
    await inTime(() => right("patch", "deployments.apps")).toBeGreaterThan(0);
    // An apply that makes an object needs both.
    expect(right("create", "deployments.apps")).toBe(1);
    expect(right("watch", "configmaps")).toBeGreaterThan(0);
    expect(state.queues.map(({ controller }) => controller)).toEqual(["configmap"]);
    expect(JSON.stringify([...state.objects.values(), ...state.reconciles])).not.toContain(
      "s3cr3t",
    );
    expect(JSON.stringify([...state.objects.values(), ...state.reconciles])).not.toContain(
      "czNjcjN0",
    );
  });

  it("goes on when the operator is started again, and says meanwhile that it is away", async () => {
    const first = new AbortController();
    let manager = startOperator(first.signal);
    show(() => manager);
    await clientFor(cluster).create(ConfigMap, { metadata: ONE });
    await inTime(() => state.reconciles.length).toBeGreaterThan(0);
    first.abort();
    await inTime(() => state.operator.state).toBe("away");
    const before = state.reconciles.length;
    manager = startOperator(stop.signal);
    await inTime(() => state.operator.state).toBe("running");
    await inTime(() => new Set(state.reconciles.map(({ instance }) => instance)).size).toBe(2);
    expect(state.reconciles.length).toBeGreaterThan(before);
    const keys = state.reconciles.map(({ instance, number }) => `${instance} ${number}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("tells who comes, and who is there, of mistakes in the code until it runs", () => {
    const line = "src/main.ts:3:1 error not-bundled Unexpected token";
    model = new PageModel({
      title: { name: "op", place: "tsop dev" },
      findOperator: () => Promise.resolve(undefined),
      clock,
    });
    model.setMistakes([line]);
    model.look(hear, stop.signal);
    expect(state.mistakes).toEqual([line]);
    model.setMistakes([]);
    expect(state.mistakes).toEqual([]);
    model.setMistakes([line]);
    expect(state.mistakes).toEqual([line]);
  });
});
