/** Which versions a reflector asks for, and what it believes of the answers: a server of the test's own records both. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import type { KubeList, KubeObject } from "../../../src/kube/object.ts";
import { failure } from "../../../src/kube/status.ts";
import type { ListerWatcher, ListWatchOptions } from "../../../src/runtime/cache/lister-watcher.ts";
import { SharedInformer } from "../../../src/runtime/cache/shared-informer.ts";
import type { WatchEvent, WatchStream } from "../../../src/runtime/rest/watch-events.ts";
import { WIDGETS } from "../support/widgets.ts";
import { asRead } from "../../support/as-read.ts";

const widget = (name: string, version: number): KubeObject =>
  asRead({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { namespace: "d", name, uid: `uid-${name}`, resourceVersion: String(version) },
  });

const list = (version: number, ...items: KubeObject[]): KubeList<KubeObject> => ({
  apiVersion: "example.com/v1",
  kind: "WidgetList",
  metadata: { resourceVersion: String(version) },
  items,
});

const expired = failure(410, "Expired", "too old resource version");

/** A watch that gives its events, and then fails or stays open; or one that is refused. */
type Watching = { readonly events: readonly WatchEvent[]; readonly fails?: Error } | Error;

const OPEN: Watching = { events: [] };
const added = (object: KubeObject): WatchEvent => ({ type: "ADDED", object });

/** Answers lists and watches from a script. */
class Script implements ListerWatcher {
  readonly resource = WIDGETS;
  readonly asked: string[] = [];
  readonly #lists: (KubeList<KubeObject> | Error)[];
  readonly #watches: Watching[];

  constructor(lists: readonly (KubeList<KubeObject> | Error)[], watches: readonly Watching[]) {
    this.#lists = [...lists];
    this.#watches = [...watches];
  }

  list({ resourceVersion }: ListWatchOptions): Promise<KubeList<KubeObject>> {
    this.asked.push(`list ${JSON.stringify(resourceVersion)}`);
    const next = this.#lists.shift() ?? new Error("no list is left");
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  }

  watch({ resourceVersion }: ListWatchOptions, signal: AbortSignal): Promise<WatchStream> {
    this.asked.push(`watch ${JSON.stringify(resourceVersion)}`);
    const next = this.#watches.shift() ?? OPEN;
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(events(next, signal));
  }
}

async function* events(
  { events: batch, fails }: Exclude<Watching, Error>,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchEvent[]> {
  if (batch.length > 0) yield batch;
  if (fails) throw fails;
  await new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      reject(signal.reason as Error);
    });
  });
}

function start(script: Script) {
  const clock = new VirtualClock();
  const informer = new SharedInformer({
    listerWatcher: script,
    clock,
    log: silentLogger,
    watchList: false,
  });
  const heard: string[] = [];
  informer.addHandler({
    onAdd: ({ metadata }) => void heard.push(`add ${metadata.name}@${metadata.resourceVersion}`),
    onUpdate: (_, { metadata }) =>
      void heard.push(`update ${metadata.name}@${metadata.resourceVersion}`),
    onDelete: ({ metadata }) => void heard.push(`delete ${metadata.name}`),
  });
  const stop = new AbortController();
  const running = informer.start(stop.signal);
  return {
    clock,
    informer,
    heard,
    versions: () =>
      informer.indexer.list().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`),
    end: async () => {
      stop.abort();
      await clock.advance(100);
      await running;
    },
  };
}

describe("the versions of a reflector", () => {
  it("are those that were seen last, none when they are refused, and those seen last again after that", async () => {
    const script = new Script(
      [list(10, widget("a", 5)), expired, list(20, widget("a", 5)), list(30, widget("a", 5))],
      [expired, failure(500, "InternalError", "boom"), OPEN],
    );
    const { clock, informer, end } = start(script);
    await clock.advance(60_000);
    expect(script.asked).toEqual([
      'list "0"',
      'watch "10"',
      'list "10"',
      'list ""',
      'watch "20"',
      'list "20"',
      'watch "30"',
    ]);
    expect(informer.state).toBe("synced");
    await end();
  });

  it("may go back with a server whose data was restored: its list without a version is the truth", async () => {
    const script = new Script(
      [list(100, widget("a", 90), widget("b", 95)), expired, list(50, widget("a", 40))],
      [expired, OPEN],
    );
    const { clock, heard, versions, end } = start(script);
    await clock.advance(60_000);
    expect(versions()).toEqual(["a@40"]);
    expect(heard).toEqual(["add a@90", "add b@95", "delete b", "update a@40"]);
    await end();
  });

  it("do not go back with a replica that lags behind: its list is no proof", async () => {
    const script = new Script(
      [list(100, widget("a", 90), widget("c", 80)), list(85, widget("a", 70))],
      [{ events: [added(widget("b", 101))], fails: expired }, OPEN],
    );
    const { clock, versions, heard, end } = start(script);
    await clock.advance(60_000);
    expect(script.asked.slice(2)).toEqual(['list "101"', 'watch "85"']);
    expect(versions().toSorted()).toEqual(["a@90", "b@101"]);
    expect(heard).toEqual(["add a@90", "add c@80", "add b@101", "delete c"]);
    await end();
  });

  it("are none yet while a watch from nothing brings what is there, in whatever order", async () => {
    const busy = failure(429, "TooManyRequests", "slow down");
    const unordered = [added(widget("a", 50)), added(widget("b", 40))];
    const changed: WatchEvent = { type: "MODIFIED", object: widget("b", 60) };
    const script = new Script(
      [{ ...list(0), metadata: {} }],
      [{ events: unordered, fails: busy }, { events: [changed], fails: busy }, OPEN],
    );
    const { clock, end } = start(script);
    await clock.advance(60_000);
    expect(script.asked).toEqual(['list "0"', 'watch ""', 'watch ""', 'watch "60"']);
    await end();
  });
});

describe("a reflector that is told to list anew", () => {
  it("does so at once and without a version, and takes out what is not in the list however new it is", async () => {
    const script = new Script(
      [list(100, widget("a", 90), widget("b", 95)), list(90, widget("a", 90), widget("c", 60))],
      [{ events: [added(widget("d", 110))] }, OPEN],
    );
    const { clock, informer, versions, heard, end } = start(script);
    await clock.advance(100);
    heard.length = 0;
    informer.relist();
    await clock.advance(1);
    expect(script.asked).toEqual(['list "0"', 'watch "100"', 'list ""', 'watch "90"']);
    expect(versions()).toEqual(["a@90", "c@60"]);
    expect(heard).toEqual(["delete b", "delete d", "update a@90", "add c@60"]);
    await end();
    expect(clock.pending).toBe(0);
  });

  it("does so with its first list when it has not begun", async () => {
    const script = new Script([list(10)], []);
    const clock = new VirtualClock();
    const informer = new SharedInformer({
      listerWatcher: script,
      clock,
      log: silentLogger,
      watchList: false,
    });
    informer.relist();
    const stop = new AbortController();
    const running = informer.start(stop.signal);
    await clock.advance(1);
    expect(script.asked).toEqual(['list ""', 'watch "10"']);
    stop.abort();
    await clock.advance(1);
    await running;
  });
});
