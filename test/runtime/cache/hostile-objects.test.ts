/** Objects that somebody else wrote, and that must not stop a cache. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger, type Logger } from "../../../src/log.ts";
import { mutableCopy } from "../../../src/runtime/cache/freeze.ts";
import { restListerWatcher } from "../../../src/runtime/cache/lister-watcher.ts";
import { SharedInformer } from "../../../src/runtime/cache/shared-informer.ts";
import { mergeFrom } from "../../../src/runtime/client/patches.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import {
  ScriptedTransport,
  type Reply,
} from "../../../src/runtime/transport/scripted-transport.ts";
import type { KubeObject } from "../../../src/kube/object.ts";

const WIDGETS = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

/** The text of an object: `more` is JSON that stands behind the metadata. */
const widgetText = (name: string, version: string, more = ""): string =>
  `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}","namespace":"d","uid":"${name}","resourceVersion":"${version}"}${more}}`;

const listText = (...items: string[]): string =>
  `{"apiVersion":"example.com/v1","kind":"WidgetList","metadata":{"resourceVersion":"10"},"items":[${items.join(",")}]}`;

const eventText = (type: string, object: string): string =>
  `{"type":"${type}","object":${object}}\n`;

interface Told {
  readonly level: string;
  readonly fields: unknown;
}

function build(replies: readonly Reply[]) {
  const clock = new VirtualClock();
  const told: Told[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (fields: unknown) => void told.push({ level: "error", fields }),
    child: () => log,
  };
  const rest = new RestClient(new ScriptedTransport(clock, replies), clock);
  const informer = new SharedInformer({
    listerWatcher: restListerWatcher(rest, WIDGETS),
    clock,
    log,
    watchList: false,
  });
  const seen: string[] = [];
  informer.addHandler({
    onAdd: (object) => void seen.push(`add ${object.metadata.name}`),
    onUpdate: (_, object) => void seen.push(`update ${object.metadata.name}`),
  });
  const stop = new AbortController();
  const running = informer.start(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { clock, informer, told, seen, end };
}

const LEVELS = 9000;
const deepText = (leaf: string): string => `${'{"a":'.repeat(LEVELS)}${leaf}${"}".repeat(LEVELS)}`;

const ODD: readonly (readonly [title: string, more: string])[] = [
  ["a mark beside a long number", ',"spec":{"n":9007199254740993,"s":"\\u0000int64:x"}'],
  ["a marked number beside a long number", ',"spec":{"n":9007199254740993,"s":"\\u0000int64:5"}'],
  [
    "the names that all objects have",
    ',"__proto__":{"a":1},"constructor":{"b":2},"spec":{"hasOwnProperty":1,"toString":[]}',
  ],
  ["keys that are numbers", ',"spec":{"9":1,"01":2,"1":[{"0":0}]}'],
  ["keys twice", ',"spec":{"a":1},"spec":{"b":9007199254740993,"b":2}'],
  ["half surrogate pairs", ',"spec":{"\\ud800":"\\udfff","\\u0000":"\\u2028"}'],
  ["numbers of all sizes", ',"spec":[1e400,-1e400,-0,5e-324,1E20,123456789012345678901234567890]'],
  ["thousands of levels", `,"spec":${deepText("1")}`],
  ["a long number thousands of levels down", `,"spec":${deepText("9007199254740993")}`],
];

describe("a cache among objects of strangers", () => {
  it.each(ODD)("takes an object with %s from a list and from a watch", async (_, more) => {
    const { clock, informer, told, seen, end } = build([
      { body: listText(widgetText("a", "1"), widgetText("odd", "2", more), widgetText("b", "3")) },
      {
        stream: [
          { raw: eventText("MODIFIED", widgetText("odd", "11", more)) },
          { raw: eventText("ADDED", widgetText("c", "12")) },
        ],
        then: "hang",
      },
    ]);
    await clock.advance(0);
    expect(seen).toEqual(["add a", "add odd", "add b", "update odd", "add c"]);
    expect(told).toEqual([]);
    expect(informer.state).toBe("synced");
    // Reads freeze it, and a reconciler copies it, changes the copy and writes what is different.
    const odd = informer.indexer.get("d/odd")!;
    const copy = mutableCopy(odd);
    copy.metadata.labels = { a: "b" };
    expect(mergeFrom(odd, copy).body).toEqual({ metadata: { labels: { a: "b" } } });
    expect(informer.indexer.sizeBytes).toBeGreaterThan(0);
    await end();
  });

  it("hands the text beside a long number to the reconciler as it is", async () => {
    const { clock, informer, end } = build([
      {
        body: listText(
          widgetText("odd", "2", ',"spec":{"n":9007199254740993,"s":"\\u0000int64:5"}'),
        ),
      },
    ]);
    await clock.advance(0);
    expect(informer.indexer.get("d/odd")).toMatchObject({
      spec: { n: 9007199254740993n, s: "\u0000int64:5" },
    });
    await end();
  });

  it.each([
    ["null", "null"],
    ["a number", "5"],
    ["a list", "[]"],
    ["an object without metadata", '{"apiVersion":"example.com/v1","kind":"Widget"}'],
    ["metadata that is a text", '{"apiVersion":"example.com/v1","kind":"Widget","metadata":"x"}'],
    [
      "a name that is a number",
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":5}}',
    ],
    ["no name", '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{}}'],
    ["a name with a slash", widgetText("a/b", "5")],
    ["a name of dots", widgetText("..", "5")],
    [
      "owners that are none",
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x","ownerReferences":[null]}}',
    ],
    [
      "labels that are a list",
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x","labels":["a"]}}',
    ],
  ])("leaves out %s alone, tells it once and counts it", async (_, text) => {
    const { clock, informer, told, seen, end } = build([
      { body: listText(widgetText("a", "1"), text, widgetText("b", "3")) },
      { stream: [{ raw: eventText("ADDED", widgetText("c", "11")) }], then: "close" },
      { status: 410, body: { kind: "Status", status: "Failure", reason: "Expired", code: 410 } },
      { body: listText(widgetText("a", "1"), text, widgetText("b", "3"), widgetText("c", "11")) },
    ]);
    await clock.advance(60_000);
    expect(seen.filter((line) => line.startsWith("add"))).toEqual(["add a", "add b", "add c"]);
    expect(informer.indexer.size).toBe(3);
    expect(informer.counts["unreadable-object"]).toBe(2);
    expect(told).toEqual([
      {
        level: "error",
        fields: expect.objectContaining({ kind: "Widget", problem: expect.any(String) }),
      },
    ]);
    await end();
  });

  it("finds all other objects by an index whose function fails for one", async () => {
    const { clock, informer, told, end } = build([
      {
        body: listText(
          widgetText("a", "1", ',"spec":{"ref":{"name":"x"}}'),
          widgetText("odd", "2"),
          widgetText("b", "3", ',"spec":{"ref":{"name":"x"}}'),
        ),
      },
      {
        stream: [
          { raw: eventText("MODIFIED", widgetText("odd", "11", ',"spec":null')) },
          { raw: eventText("ADDED", widgetText("c", "12", ',"spec":{"ref":{"name":"x"}}')) },
        ],
        then: "hang",
      },
    ]);
    informer.indexer.addIndex("ref", (object) => [
      (object as KubeObject & { spec: { ref: { name: string } } }).spec.ref.name,
    ]);
    expect(informer.indexer.byIndex("ref", "x")).toEqual([]);
    await clock.advance(0);
    const names = informer.indexer.byIndex("ref", "x").map(({ metadata }) => metadata.name);
    expect(names).toEqual(["a", "b", "c"]);
    expect(informer.indexer.get("d/odd")?.metadata.resourceVersion).toBe("11");
    expect(told).toEqual([
      { level: "error", fields: expect.objectContaining({ index: "ref", object: "d/odd" }) },
    ]);
    await end();
  });
});

describe("what an answer that cannot be read is told as", () => {
  const secret = "hunter2";

  it("says nothing of the body of a list", async () => {
    const { clock, informer, end } = build([
      {
        body: `{"items":[{"data":{"password":"${secret}"}}`,
        headers: { "Content-Type": "application/json" },
      },
    ]);
    await clock.advance(0);
    const error = informer.lastError as Error;
    expect(error.message).toMatch(
      /^GET \/apis\/example.com\/v1\/widgets was answered with 200 and 41 bytes of application\/json that are not JSON/,
    );
    expect(JSON.stringify([error, error.cause, error.stack])).not.toContain(secret);
    await end();
  });

  it.each([
    ["a line that is not JSON", `{"data":"${secret}"\n`],
    ["an event of no type", `{"type":"X","object":{"data":"${secret}"}}\n`],
    ["an error that is not a Status", `{"type":"ERROR","object":{"data":"${secret}"}}\n`],
  ])("says nothing of %s in a watch", async (_, raw) => {
    const clock = new VirtualClock();
    const transport = new ScriptedTransport(clock, [{ stream: [{ raw }] }]);
    const stream = await new RestClient(transport, clock).watch({ path: "/x" });
    const read = async (): Promise<unknown> => {
      for await (const events of stream) return events;
      return undefined;
    };
    const error = await read().catch((thrown: unknown) => thrown as Error);
    expect(error).toBeInstanceOf(Error);
    expect(JSON.stringify([error, (error as Error).cause, (error as Error).stack])).not.toContain(
      secret,
    );
  });

  it("takes the text of a failure that is one, and only as much as client-go", async () => {
    const clock = new VirtualClock();
    const transport = new ScriptedTransport(clock, [
      {
        status: 500,
        headers: { "Content-Type": "application/json" },
        body: `{"data":"${secret}"}`,
      },
      {
        status: 500,
        headers: { "Content-Type": "text/plain; charset=utf-8" },
        body: "x".repeat(10_000),
      },
    ]);
    const rest = new RestClient(transport, clock);
    const messages: string[] = [];
    for (let count = 0; count < 2; count++) {
      await rest.request({ method: "GET", path: "/x" }).catch((error: unknown) => {
        messages.push((error as Error).message);
      });
    }
    expect(messages).toEqual([
      'an error on the server ("unknown") has prevented the request from succeeding',
      `an error on the server ("${"x".repeat(2048)}") has prevented the request from succeeding`,
    ]);
  });
});
