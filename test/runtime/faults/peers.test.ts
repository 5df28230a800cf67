/**
 * J1 to J12 and K1 to K10: what @kubernetes/client-node's informer and Pepr's client do wrong, with the opposite verdict.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { TsopError } from "../../../src/errors.ts";
import { silentLogger } from "../../../src/log.ts";
import { hasFinalizer } from "../../../src/kube/finalizers.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import { restListerWatcher } from "../../../src/runtime/cache/lister-watcher.ts";
import { SharedInformer } from "../../../src/runtime/cache/shared-informer.ts";
import { addFinalizer, removeFinalizer } from "../../../src/runtime/client/finalizer.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { controllerFor } from "../../../src/runtime/builder/builder.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import { WorkQueue } from "../../../src/runtime/queue/work-queue.ts";
import type { Reply } from "../../../src/runtime/transport/scripted-transport.ts";
import type { Transport } from "../../../src/runtime/transport/transport.ts";
import { MemoryApi } from "../support/memory-api.ts";
import {
  bookmark,
  event,
  list,
  listen,
  status,
  watchWidgets,
  widget,
  WIDGETS,
} from "../support/widgets.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const away: Reply = { status: 500, body: "no" };
const pathOf = (name: string): string => `/apis/example.com/v1/namespaces/d/widgets/${name}`;

describe("what other informers of Node get wrong", () => {
  it("J1: one failed list is followed by another, not by silence", async () => {
    const { clock, stored, errors, end } = watchWidgets([away, list(10, widget("a", 5))]);
    await clock.advance(8000);
    expect([stored(), errors.length]).toEqual([["a@5"], 1]);
    await end();
  });

  it.each<[string, readonly Reply[]]>([
    ["500", [away, list(11)]],
    ["a reset", [{ reset: true }]],
  ])("J2: a watch that is answered with %s is opened again", async (_, replies) => {
    const { clock, requests, informer, end } = watchWidgets([list(10), ...replies]);
    await clock.advance(8000);
    expect(requests().at(-1)).toMatch(/^WATCH 1/);
    expect(informer.state).toBe("synced");
    await end();
  });

  it("J3: a stop is no error, and nothing starts again after it", async () => {
    const { clock, transport, errors, end } = watchWidgets([list(10)]);
    await clock.advance(100);
    await end();
    const before = transport.seen.length;
    await clock.advance(600_000);
    expect([errors, transport.seen.length]).toEqual([[], before]);
  });

  it("J4: a handler that throws ends neither the process nor the progress of the watch", async () => {
    const { clock, informer, stored, end } = watchWidgets([
      list(10, widget("a", 5)),
      { stream: [{ pauseMs: 1000 }, event("ADDED", widget("b", 11))], then: "hang" },
    ]);
    informer.addHandler({ onAdd: () => Promise.reject(new Error("the handler's own")) });
    await clock.advance(2000);
    expect([stored(), informer.lastSyncResourceVersion]).toEqual([["a@5", "b@11"], "11"]);
    await end();
  });

  it("J5: a line that is no JSON is asked for again; its version is not passed over", async () => {
    const { clock, stored, requests, end } = watchWidgets([
      list(10),
      {
        stream: [
          { raw: '{"type":"ADDED","object":{"metadata":{"name":"lost"' },
          { raw: "\n" },
          event("ADDED", widget("b", 12)),
        ],
        then: "hang",
      },
      list(12, widget("lost", 11), widget("b", 12)),
    ]);
    await clock.advance(3000);
    expect(stored()).toEqual(["b@12", "lost@11"]);
    expect(requests()[2]).toBe("LIST 10");
    await end();
  });

  it("J6: an ERROR of 500 in an open stream ends that stream", async () => {
    const { clock, requests, end } = watchWidgets([
      list(10),
      { stream: [event("ERROR", status(500, "InternalError"))], then: "hang" },
      list(11),
    ]);
    await clock.advance(3000);
    expect(requests()).toEqual(["LIST 0", "WATCH 10", "LIST 10", "WATCH 11"]);
    await end();
  });

  it("J7: an older object never replaces a newer one", async () => {
    const { clock, told, stored, end } = watchWidgets([
      list(100, widget("a", 100)),
      { stream: [event("MODIFIED", widget("a", 50))], then: "hang" },
    ]);
    await clock.advance(10);
    expect([stored(), told]).toEqual([["a@100"], ["add a@100"]]);
    await end();
  });

  it("J8: bookmarks, pages and a time limit are asked for, and bookmarks are used", async () => {
    const { clock, transport, requests, end } = watchWidgets([
      list(10),
      { stream: [{ pauseMs: 2000 }, bookmark(500)] },
    ]);
    await clock.advance(3000);
    expect(transport.seen[0]?.query).toMatchObject({ limit: "500" });
    expect(transport.seen[1]?.query).toMatchObject({
      allowWatchBookmarks: "true",
      timeoutSeconds: expect.stringMatching(/^[3-5]\d\d$/),
    });
    expect(requests()[2]).toBe("WATCH 500");
    await end();
  });

  it("J9: a silent connection is noticed; an idle one with bookmarks stays open", async () => {
    const minutes = Array.from({ length: 4 }, (_, index) => [
      { pauseMs: 60_000 },
      bookmark(20 + index),
    ]).flat();
    const { clock, requests, end } = watchWidgets([list(10), { stream: minutes, then: "hang" }]);
    await clock.advance(240_000);
    expect(requests()).toEqual(["LIST 0", "WATCH 10"]);
    await clock.advance(71_000);
    expect(requests()).toEqual(["LIST 0", "WATCH 10", "WATCH 23"]);
    await end();
  });

  it("J10: credentials that cannot be had for once are an error to tell, not the end of the process", async () => {
    const clock = new VirtualClock();
    const api = new MemoryApi(clock);
    let failures = 0;
    const transport: Transport = {
      server: api.server,
      request: (request) => {
        if (failures++ > 0) return api.request(request);
        return Promise.reject(new TsopError("exec-credentials", "no login", "Log in again."));
      },
      close: () => undefined,
    };
    const errors: unknown[] = [];
    const informer = new SharedInformer({
      listerWatcher: restListerWatcher(new RestClient(transport, clock), WIDGETS),
      clock,
      log: silentLogger,
      onError: (error) => errors.push(error),
    });
    const stop = new AbortController();
    const running = informer.start(stop.signal);
    await clock.advance(5000);
    expect(informer.hasSynced).toBe(true);
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  it("J11: a deletion that was missed is a tombstone, an update has its old object, and objects are frozen", async () => {
    const { clock, informer, told, end } = watchWidgets([
      list(10, widget("a", 5), widget("b", 6)),
      away,
      list(20, widget("a", 15)),
    ]);
    await clock.advance(5000);
    expect(told.slice(2)).toEqual(["tombstone b@6", "update a@5 a@15"]);
    const [object] = informer.indexer.list();
    expect(Object.isFrozen(object?.metadata)).toBe(true);
    expect(informer.hasSynced).toBe(true);
    informer.indexer.addIndex("name", ({ metadata }) => [metadata.name]);
    expect(informer.indexer.byIndex("name", "a")).toEqual([object]);
    await end();
  });

  it("J12: the package says which Node it needs, and no dependency of the runtime needs a newer one", () => {
    const packageOf = (path: string) =>
      JSON.parse(readFileSync(`${root}${path}package.json`, "utf8")) as {
        engines?: { node?: string };
        dependencies?: Record<string, string>;
      };
    const own = packageOf("");
    expect(own.engines?.node).toMatch(/^>=\s?20\.19/);
    expect(Object.keys(own.dependencies ?? {})).not.toContain("undici");
    const ranges = Object.keys(own.dependencies ?? {})
      .map((name) => packageOf(`node_modules/${name}/`).engines?.node)
      .filter((range) => range !== undefined);
    const program = `const { satisfies } = require("semver");
      console.log(process.argv.slice(1).filter((range) => !satisfies("20.19.0", range)).join());`;
    const { stdout } = spawnSync(process.execPath, ["-e", program, "--", ...ranges], {
      cwd: root,
      encoding: "utf8",
    });
    expect(stdout, "what needs a newer Node").toBe("\n");
  });
});

/** A manager whose controller for widgets does what `reconcile` says. */
function operator(
  reconcile: (name: string, there: KubeObject | undefined, clock: VirtualClock) => Promise<void>,
) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const manager = createManager({ clock, transport: api, log: silentLogger });
  controllerFor(manager)
    .for(WIDGETS)
    .complete({
      reconcile: async ({ key }) =>
        reconcile(key.name, await manager.client.find(WIDGETS, key), clock),
    });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  return {
    clock,
    api,
    manager,
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
    },
  };
}

describe("what other operators of Node get wrong", () => {
  it("K1: what comes while a list is under way is not taken for deleted", async () => {
    const { clock, told, stored, end } = watchWidgets([
      list(10, widget("a", 5)),
      { stream: [{ pauseMs: 1000 }, event("ADDED", widget("x", 11))], then: "close" },
      { status: 410, body: status(410, "Expired") },
      // The list is of before x, as a lagging replica gives it.
      list(10, widget("a", 5)),
    ]);
    await clock.advance(5000);
    expect(stored()).toEqual(["a@5", "x@11"]);
    expect(told.filter((line) => !line.startsWith("update"))).toEqual(["add a@5", "add x@11"]);
    await end();
  });

  it("K2: what is deleted while a list is under way does not come back", async () => {
    const { clock, told, stored, end } = watchWidgets(
      [
        {
          stream: [
            event("ADDED", widget("a", 1)),
            event("DELETED", widget("a", 6)),
            bookmark(6, true),
          ],
          then: "hang",
        },
      ],
      { watchList: true },
    );
    await clock.advance(10);
    expect([stored(), told]).toEqual([[], []]);
    await end();
  });

  it("K3: a slow handler hears of one object in order, and never of two states at once", async () => {
    const { clock, informer, end } = watchWidgets([
      list(10),
      {
        stream: [
          { pauseMs: 10 },
          event("ADDED", widget("b", 11)),
          event("MODIFIED", widget("b", 12)),
          { pauseMs: 10 },
          event("MODIFIED", widget("b", 13)),
        ],
        then: "hang",
      },
    ]);
    const heard: string[] = [];
    let busy = 0;
    const record = async ({ metadata }: KubeObject): Promise<void> => {
      expect(++busy).toBe(1);
      await clock.sleep(1000);
      busy--;
      heard.push(metadata.resourceVersion);
    };
    informer.addHandler({ onAdd: record, onUpdate: (_, object) => record(object) });
    await clock.advance(5000);
    expect(heard).toEqual(heard.toSorted());
    expect(heard.at(-1)).toBe("13");
    await end();
  });

  it("K4: what fails is tried again at once, and then again", async () => {
    let runs = 0;
    const { clock, api, end } = operator(async () => {
      if (++runs < 5) throw new Error("not yet");
    });
    api.put(pathOf("a"), widget("a", 1));
    await clock.advance(1000);
    expect(runs).toBe(5);
    await end();
  });

  it("K5: a server that closes each watch at once is not asked two thousand times in five seconds", async () => {
    const rounds = Array.from({ length: 100 }, (): Reply[] => [list(10), {}]).flat();
    const { clock, transport, end } = watchWidgets(rounds);
    await clock.advance(5000);
    expect(transport.seen.length).toBeLessThan(8);
    await end();
  });

  it("K6: an hour without a server is not the end of the process", async () => {
    const { clock, api, manager, end } = operator(() => Promise.resolve());
    await clock.advance(100);
    api.down = true;
    api.cut();
    await clock.advance(3_600_000);
    expect(manager.cache.health()[0]?.problem).toContain("cannot be reached");
    api.down = false;
    await clock.advance(61_000);
    expect(manager.cache.health()[0]?.state).toBe("synced");
    await end();
  });

  it("K7: silence is noticed on a kind without objects, too", async () => {
    const { clock, requests, informer, end } = watchWidgets([
      list(10),
      { stream: [{ pauseMs: 60_000 }, bookmark(11)], then: "hang" },
    ]);
    await clock.advance(60_000 + 71_000);
    expect(requests()).toEqual(["LIST 0", "WATCH 10", "WATCH 11"]);
    expect(informer.indexer.size).toBe(0);
    await end();
  });

  it("K8: many events of a key are one reconcile, keys do not wait for each other, and no queue stays", async () => {
    const runs: string[] = [];
    const { clock, api, end } = operator(async (name, _, time) => {
      runs.push(name);
      await time.sleep(name === "slow" ? 10_000 : 1);
    });
    api.put(pathOf("slow"), widget("slow", 1));
    await clock.advance(10);
    for (let count = 0; count < 50; count++) api.put(pathOf("a"), widget("a", 1));
    await clock.advance(20_000);
    expect(runs).toEqual(["slow", "a"]);
    await end();

    const queue = new WorkQueue(new VirtualClock());
    for (let key = 0; key < 1000; key++) {
      queue.add(`${key}`);
      queue.done(queue.take()!);
    }
    expect(queue.length).toBe(0);
  });

  it("K9: a finalizer stays while its cleaning up fails, and those of others always", async () => {
    let cleanups = 0;
    const { clock, api, manager, end } = operator(async (_, object) => {
      if (!object) return;
      if (object.metadata.deletionTimestamp === undefined) {
        await addFinalizer(manager.client, WIDGETS, object, "ours");
      } else if (hasFinalizer(object, "ours")) {
        if (++cleanups < 3) throw new Error("the cloud is away");
        await removeFinalizer(manager.client, WIDGETS, object, "ours");
      }
    });
    const object = widget("a", 1);
    api.put(pathOf("a"), { ...object, metadata: { ...object.metadata, finalizers: ["theirs"] } });
    await clock.advance(100);
    const finalizers = (): unknown =>
      api.objects("/apis/example.com/v1/widgets")[0]?.metadata.finalizers;
    expect(finalizers()).toEqual(["theirs", "ours"]);
    const [stored] = api.objects("/apis/example.com/v1/widgets");
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    api.put(pathOf("a"), { ...stored!, metadata: { ...stored!.metadata, deletionTimestamp } });
    await clock.advance(3);
    expect([cleanups, finalizers()]).toEqual([1, ["theirs", "ours"]]);
    await clock.advance(1000);
    expect([cleanups, finalizers()]).toEqual([3, ["theirs"]]);
    await end();
  });

  it("K10: what was not done when the process died is done by the next one", async () => {
    const clock = new VirtualClock();
    const api = new MemoryApi(clock);
    const done: string[] = [];
    const start = (dies: boolean) => {
      const manager = createManager({
        clock,
        transport: api,
        log: silentLogger,
        leaderElection: { id: "web", namespace: "d", identity: dies ? "first" : "second" },
      });
      controllerFor(manager)
        .for(WIDGETS)
        .complete({
          async reconcile({ key }) {
            await clock.sleep(dies ? 2 ** 40 : 1);
            done.push(key.name);
          },
        });
      const stop = new AbortController();
      return { stop, running: manager.start(stop.signal).catch((error: unknown) => error) };
    };
    for (const name of ["a", "b", "c"]) api.put(pathOf(name), widget(name, 1));
    const first = start(true);
    await clock.advance(1000);
    const second = start(false);
    await clock.advance(1000);
    expect(done).toEqual([]);
    first.stop.abort();
    await clock.advance(60_000);
    expect(await first.running).toMatchObject({ code: "shutdown-timeout" });
    expect(done.toSorted()).toEqual(["a", "b", "c"]);
    second.stop.abort();
    await clock.advance(60_000);
    await second.running;
  });

  it("tells two handlers of one informer the same", async () => {
    const { clock, informer, told, end } = watchWidgets([list(10, widget("a", 5))]);
    const other = listen(informer);
    await clock.advance(10);
    expect(other).toEqual(told);
    await end();
  });
});
