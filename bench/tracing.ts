/**
 * The cost of tracing for a reconcile that does nothing but read its object from the cache, so that
 * nothing hides it: a manager without tracing, a second one of the same kind (the distance between
 * the two shows the noise), and one with `@opentelemetry/api` and no SDK, like a program with
 * traces switched off.
 */
import * as opentelemetry from "@opentelemetry/api";
import { controllerFor, createManager, type Enqueue, type ManagerOptions } from "../src/index.ts";
import { ConfigMap } from "../src/k8s.ts";
import { clientFor, inProcess, silentLogger, startControlPlane } from "../src/testing.ts";
import type { ControlPlane } from "../src/testing.ts";
import { compare, report } from "./measure.ts";

const ROUNDS = 25;
const OBJECTS = 5000;
const GOAL = 1.05;
const KEYS = Array.from({ length: OBJECTS }, (_, index) => ({
  namespace: "default",
  name: `object-${index}`,
}));

interface Operator {
  /** Reconciles each object once. */
  round(): Promise<void>;
  end(): Promise<void>;
}

async function operatorOn(
  cluster: ControlPlane,
  options: Pick<ManagerOptions, "tracing">,
): Promise<Operator> {
  const manager = createManager({ transport: inProcess(cluster), log: silentLogger, ...options });
  let enqueue: Enqueue = () => undefined;
  let left = 0;
  let done = (): void => undefined;
  controllerFor(manager)
    .for(ConfigMap)
    .watchesSource({
      start(add) {
        enqueue = add;
        return { synced: Promise.resolve(), ended: Promise.resolve() };
      },
    })
    .complete({
      async reconcile({ key }) {
        await manager.client.find(ConfigMap, key);
        if (--left === 0) done();
      },
    });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await manager.idle({ timeoutMs: 120_000 });
  return {
    round() {
      left = OBJECTS;
      const ended = new Promise<void>((resolve) => (done = resolve));
      for (const key of KEYS) enqueue(key);
      return ended;
    },
    async end() {
      stop.abort();
      await running;
    },
  };
}

export async function benchTracing(): Promise<void> {
  await using cluster = await startControlPlane({ controllers: "off", listen: false });
  const client = clientFor(cluster);
  for (const metadata of KEYS) await client.create(ConfigMap, { metadata });
  const operators = {
    off: await operatorOn(cluster, {}),
    again: await operatorOn(cluster, {}),
    on: await operatorOn(cluster, { tracing: opentelemetry }),
  };
  const { off: first, again: second, on: traced } = operators;
  const times = await compare(
    { off: () => first.round(), again: () => second.round(), on: () => traced.round() },
    ROUNDS,
  );
  const { off = NaN, again = NaN, on = NaN } = times;
  report(`${OBJECTS} reconciles without tracing`, off, again, "the same again", GOAL);
  report(`${OBJECTS} reconciles without tracing`, off, on, "with it, no SDK", GOAL);
  for (const operator of Object.values(operators)) await operator.end();
}
