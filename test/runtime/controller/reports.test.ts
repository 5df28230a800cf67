/** What an operator says of reconciles that do no good: who fights whom, who never stops, who never ends. */
import { afterEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { ConfigMap, Event, Secret } from "../../../src/k8s.ts";
import {
  controllerFor,
  createManager,
  type Client,
  type Manager,
  type Outcome,
} from "../../../src/index.ts";
import {
  clientFor,
  inProcess,
  startControlPlane,
  type ControlPlane,
} from "../../../src/testing.ts";
import { keptLog } from "../../logging/support.ts";

const KEY = { namespace: "default", name: "one" };
const SHARED = { namespace: "default", name: "shared" };

let end: () => Promise<void> = () => Promise.resolve();
afterEach(async () => {
  await end();
  end = () => Promise.resolve();
});

/** An operator at a control plane, in virtual time. */
async function start(setUp: (manager: Manager, clock: VirtualClock) => void) {
  const clock = new VirtualClock();
  const cluster: ControlPlane = await startControlPlane({ listen: false, clock });
  const client: Client = clientFor(cluster);
  const { log, entries, lines } = keptLog();
  const manager = createManager({ transport: inProcess(cluster), log, name: "shop", clock });
  setUp(manager, clock);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(1000);
  end = async () => {
    stop.abort();
    await clock.advance(120_000);
    await running;
    await cluster.stop();
  };
  const create = async (count = 1): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const name = n === 0 ? KEY.name : `one-${n}`;
      await client.create(ConfigMap, { metadata: { ...KEY, name } });
    }
  };
  const warnings = () => entries().filter(({ level }) => level === "warn");
  const messages = () => warnings().map(({ msg }) => String(msg));
  const advance = async (ms: number, step = 50): Promise<void> => {
    for (let at = 0; at < ms; at += step) await clock.advance(step);
  };
  const events = async (): Promise<string[]> =>
    (await client.list(Event))
      .filter(({ reason }) => reason === "HotLoop")
      .map(({ message = "" }) => message);
  return { clock, client, create, warnings, messages, lines, advance, events };
}

/** The control plane has ConfigMaps of its own. */
const isOwn = ({ name }: { name: string }): boolean => name.startsWith("one");

function controller(
  manager: Manager,
  name: string,
  reconcile: (key: { name: string }) => Promise<Outcome>,
  options: { maxConcurrentReconciles?: number } = {},
): void {
  controllerFor(manager)
    .named(name)
    .for(ConfigMap)
    .watches(Secret, { map: () => [KEY] })
    .withOptions(options)
    .complete({
      reconcile: ({ key }) => (isOwn(key) ? reconcile(key) : Promise.resolve()),
    });
}

describe("a loop of writes", () => {
  it("of a reconcile that undoes its own is told so, without the values", async () => {
    let runs = 0;
    const { create, messages, lines, events, advance } = await start((manager) => {
      controller(manager, "pw", async () => {
        const password = runs++ % 2 ? "hunter2" : "correct-horse";
        await manager.client.apply(Secret, { metadata: SHARED, stringData: { password } });
      });
    });
    await create();
    await advance(20_000);
    expect(messages()[0]).toMatch(
      /the same write of Secret default\/shared \(stringData\.password\) changed something 10 times: its own reconcile writes different values in turn$/,
    );
    const told = await events();
    expect(told[0]).toContain("its own reconcile writes different values in turn");
    expect(`${lines.join()} ${told.join()}`).not.toMatch(/hunter2|correct-horse/);
  });

  it("of two controllers that undo each other names both", async () => {
    const { create, messages, advance } = await start((manager) => {
      for (const who of ["east", "west"]) {
        controller(manager, who, async () => {
          await manager.client.apply(Secret, { metadata: SHARED, stringData: { who } });
        });
      }
    });
    await create();
    await advance(20_000);
    expect(messages()[0]).toContain("this operator's own writes undo each other: the controllers ");
    expect(messages()[0]).toMatch(/east \(default\/one\) and west|west \(default\/one\) and east/);
    expect(messages()[0]).toContain("(stringData.who)");
  });

  it("with another field manager names it, what it does, and when", async () => {
    const { client, create, messages, advance } = await start((manager) => {
      controller(manager, "blue", async () => {
        await manager.client.apply(
          Secret,
          { metadata: SHARED, stringData: { color: "blue-value" } },
          { force: true },
        );
      });
    });
    await create();
    for (let round = 0; round < 40; round++) {
      await advance(500);
      const secret = await client.find(Secret, SHARED);
      if (secret?.data?.["color"] !== Buffer.from("blue-value").toString("base64")) continue;
      await client.update(
        Secret,
        { ...secret, data: { color: Buffer.from("red-value").toString("base64") } },
        { fieldManager: "kubectl-edit" },
      );
    }
    expect(messages()[0]).toMatch(
      /changed something 10 times: the field manager kubectl-edit \(Update, 2026-01-01T00:00:\d\dZ\) changed the object in between$/,
    );
    expect(messages().join()).not.toMatch(/blue-value|Ymx1ZS/);
  });

  it("of other fields of the same object is none of its own", async () => {
    const { client, create, messages, advance } = await start((manager) => {
      controller(manager, "parts", async () => {
        await manager.client.patch(Secret, SHARED, {
          contentType: "application/merge-patch+json",
          body: { metadata: { labels: { mine: "yes" } } },
        });
        await manager.client.patch(Secret, SHARED, {
          contentType: "application/merge-patch+json",
          body: { metadata: { annotations: { also: "mine" } } },
        });
      });
    });
    await client.create(Secret, { metadata: SHARED });
    await create();
    for (let round = 0; round < 40; round++) {
      await advance(500);
      const secret = await client.find(Secret, SHARED);
      if (!secret?.metadata.labels) continue;
      const { labels: _, annotations: __, ...metadata } = secret.metadata;
      await client.update(Secret, { ...secret, metadata }, { fieldManager: "cleaner" });
    }
    // A writer that only removes fields is in no managedFields: nobody else is blamed for it.
    expect(messages()[0]).toContain("who undoes it is unknown");
    expect(messages()[0]).toContain("(metadata.labels.mine)");
  });

  it("of hundreds of objects is told on a few lines a minute", async () => {
    const runs = new Map<string, number>();
    const { create, warnings, advance } = await start((manager) => {
      controllerFor(manager)
        .named("all")
        .for(ConfigMap)
        .complete({
          reconcile: async ({ key }) => {
            if (!isOwn(key)) return;
            const run = (runs.get(key.name) ?? 0) + 1;
            runs.set(key.name, run);
            await manager.client.apply(
              ConfigMap,
              { metadata: { ...key }, data: { run: String(run % 2) } },
              { force: true },
            );
          },
        });
    });
    await create(30);
    await advance(30_000, 200);
    expect(warnings().length).toBeGreaterThan(0);
    expect(warnings().length).toBeLessThanOrEqual(10);
    await advance(60_000, 500);
    expect(
      warnings().some(({ msg }) => /\d+ more lines of this kind were left out/.test(String(msg))),
    ).toBe(true);
  });
});

describe("a reconcile that asks for the next one all the time", () => {
  it("is told with its object and how often, at growing distances", async () => {
    let runs = 0;
    const { create, warnings, advance } = await start((manager) => {
      controller(manager, "poll", async () => {
        runs++;
        return { requeueAfterMs: 1 };
      });
    });
    await create();
    await advance(5000, 1);
    expect(runs).toBeGreaterThan(2000);
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toMatchObject({
      controller: "poll",
      namespace: "default",
      name: "one",
      requeueAfterMs: 1,
      requeues: 100,
      msg: expect.stringMatching(
        /^The reconciles of this object ask for the next one all the time: 100 times within 0\.\d s/,
      ),
    });
    await advance(55_000, 50);
    await advance(1000, 1);
    expect(warnings()).toHaveLength(2);
    expect(warnings()[1]?.["msg"]).toMatch(/\(\d{3,} times since this was last logged\)/);
  });

  it("that polls every two seconds is fine", async () => {
    const { create, warnings, advance } = await start((manager) => {
      controller(manager, "poll", () => Promise.resolve({ requeueAfterMs: 2000 }));
    });
    await create();
    await advance(600_000, 1000);
    expect(warnings()).toEqual([]);
  });
});

describe("a reconcile that does not end", () => {
  it("is told within a few seconds after a minute, two, four and so on", async () => {
    const { create, warnings, advance } = await start((manager) => {
      controller(manager, "stuck", () => new Promise(() => undefined));
    });
    // It never ends, so there is nothing to wait for.
    end = () => Promise.resolve();
    await create();
    await advance(59_000, 1000);
    expect(warnings()).toEqual([]);
    await advance(10 * 60_000, 1000);
    expect(warnings()).toHaveLength(4);
    expect(warnings()[0]).toMatchObject({
      controller: "stuck",
      namespace: "default",
      name: "one",
      seconds: 69,
      reconcileID: expect.any(String),
      msg: expect.stringContaining("A reconcile does not end: default/one (for 69 s)"),
    });
  });

  it("is told on one line with hundreds of others", async () => {
    const { create, warnings, advance } = await start((manager) => {
      controllerFor(manager)
        .named("stuck")
        .for(ConfigMap)
        .withOptions({ maxConcurrentReconciles: 500 })
        .complete({
          reconcile: ({ key }) =>
            isOwn(key) ? new Promise<void>(() => undefined) : Promise.resolve(),
        });
    });
    end = () => Promise.resolve();
    await create(300);
    await advance(70_000, 1000);
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]?.["msg"]).toMatch(/^300 reconciles do not end: .* and 295 more\. Pass/);
  });
});
