import { readFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { messageOf } from "../../../src/errors.ts";
import { silentLogger } from "../../../src/log.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import { restListerWatcher } from "../../../src/runtime/cache/lister-watcher.ts";
import { SharedInformer } from "../../../src/runtime/cache/shared-informer.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { describeShared, sharedPath } from "../../support/shared.ts";
import {
  ScriptedTransport,
  type Reply,
  type SeenRequest,
} from "../../../src/runtime/transport/scripted-transport.ts";
import { printShare } from "../support/print-share.ts";

interface Observed {
  requests: { path: string; query: Record<string, string>; sincePrevious: string }[];
  handler: string[] | null;
  synced: boolean;
  store: string[] | null;
  lastSyncResourceVersion: string;
  watchErrors: string[] | null;
}

interface Case {
  name: string;
  watchList: boolean;
  replies: Reply[];
  forMs: number;
  resyncMs?: number;
  observed: Observed;
}

/** Where we differ from client-go on purpose, and why. Everything else must be equal. */
const DIFFERENCES: Record<string, string> = {
  "list+watch: an older version":
    "an older version never replaces a newer one, so a server that replays the past cannot make a reconciler act on it",
  "watchlist: an older version":
    "an older version never replaces a newer one, so a server that replays the past cannot make a reconciler act on it",
  "list+watch: relist with a lower version than known":
    "a list that is older than what it was asked for is stale; the watch from its version brings the objects up to date",
};

const WIDGETS = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

function show(object: KubeObject): string {
  const { namespace, name, resourceVersion } = object.metadata;
  return `${namespace}/${name} rv ${resourceVersion}`;
}

async function replay(recorded: Case, seed = 1): Promise<Observed> {
  const { watchList, replies, forMs, resyncMs } = recorded;
  const clock = new VirtualClock({ seed });
  const transport = new ScriptedTransport(clock, replies);
  const rest = new RestClient(transport, clock);
  const watchErrors: string[] = [];
  const informer = new SharedInformer({
    listerWatcher: restListerWatcher(rest, WIDGETS),
    clock,
    log: silentLogger,
    watchList,
    ...(resyncMs === undefined ? {} : { resyncMs }),
    onError: (error) => watchErrors.push(messageOf(error)),
  });
  const handler: string[] = [];
  informer.addHandler({
    onAdd: (object, initial) => void handler.push(`add ${show(object)} initial=${initial}`),
    onUpdate: (old, object) => void handler.push(`update ${show(old)} -> ${show(object)}`),
    onDelete: (object, tombstone) =>
      void handler.push(`delete ${tombstone ? "tombstone " : ""}${show(object)}`),
  });
  const stop = new AbortController();
  const run = informer.start(stop.signal);
  await clock.advance(forMs);
  const observed = {
    requests: transport.seen.map(({ path, query, sincePreviousMs }) => ({
      path,
      query: { ...query, ...("timeoutSeconds" in query ? { timeoutSeconds: "<300-600>" } : {}) },
      sincePrevious: classOf(sincePreviousMs),
    })),
    handler,
    synced: informer.hasSynced,
    store: informer.indexer.list().map(show).sort(),
    lastSyncResourceVersion: informer.lastSyncResourceVersion,
    watchErrors,
  };
  expect(transport.seen.every(hasFairTimeout)).toBe(true);
  stop.abort();
  await run;
  expect(clock.pending).toBe(0);
  return observed;
}

function hasSameWaits(replayed: Observed, { observed }: Case): boolean {
  const waits = ({ requests }: Observed) => requests.map(({ sincePrevious }) => sincePrevious);
  return JSON.stringify(waits(replayed)) === JSON.stringify(waits(observed));
}

function hasFairTimeout({ query }: SeenRequest): boolean {
  const seconds = Number(query["timeoutSeconds"] ?? 300);
  return seconds >= 300 && seconds < 600;
}

function classOf(sincePreviousMs: number | undefined): string {
  if (sincePreviousMs === undefined) return "start";
  if (sincePreviousMs < 100) return "at once";
  if (sincePreviousMs >= 700 && sincePreviousMs <= 1700) {
    return "0.7-1.7 s (first back-off: 0.8 s, jitter up to 2x)";
  }
  return `${sincePreviousMs} ms`;
}

/** client-go wraps what the server said; only the saying is compared. */
function sameErrors(ours: readonly string[] | null, theirs: readonly string[] | null): boolean {
  const expected = theirs ?? [];
  return (
    ours?.length === expected.length &&
    expected.every((text, index) => text.includes("parse error") || text.endsWith(ours[index]!))
  );
}

describeShared("traces", "the informer against client-go's, fault by fault", () => {
  const cases = JSON.parse(readFileSync(sharedPath("traces", "informer.json"), "utf8")) as Case[];

  let equal = 0;

  afterAll(() => {
    printShare("informer traces", equal, cases.length);
  });

  it.each(cases.filter(({ name }) => !(name in DIFFERENCES)))("$name", async (recorded) => {
    // The recorded waits are of one draw of the jitter; some draw of ours must bring them, too.
    let replayed = await replay(recorded);
    for (let seed = 2; seed < 100 && !hasSameWaits(replayed, recorded); seed++) {
      replayed = await replay(recorded, seed);
    }
    const { watchErrors, ...observed } = replayed;
    const { watchErrors: expectedErrors, ...expected } = recorded.observed;
    expect(observed).toEqual({
      ...expected,
      handler: expected.handler ?? [],
      store: expected.store ?? [],
    });
    expect(sameErrors(watchErrors, expectedErrors), String(watchErrors)).toBe(true);
    equal++;
  });

  it.each(cases.filter(({ name }) => name in DIFFERENCES))(
    "differs on purpose: $name",
    async (recorded) => {
      expect(await replay(recorded)).toMatchSnapshot();
    },
  );

  it("differs in nothing else", () => {
    const names = cases.map(({ name }) => name);
    expect(Object.keys(DIFFERENCES).filter((name) => !names.includes(name))).toEqual([]);
    expect(Object.keys(DIFFERENCES).length / names.length).toBeLessThan(0.1);
  });
});
