/** Equal parts of objects are one part: what an object says stays the same, and it stays a tree. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import { sameJson } from "../../../src/kube/json.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import { Indexer } from "../../../src/runtime/cache/indexer.ts";
import { restListerWatcher } from "../../../src/runtime/cache/lister-watcher.ts";
import { SharedInformer } from "../../../src/runtime/cache/shared-informer.ts";
import { SharedParts } from "../../../src/runtime/cache/shared-parts.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import {
  ScriptedTransport,
  type Reply,
} from "../../../src/runtime/transport/scripted-transport.ts";
import { WIDGETS } from "../support/widgets.ts";

interface Widget extends KubeObject {
  readonly spec: { readonly template: object; readonly replicas: number };
}

function widget(name: string, version: string, replicas: number, owner?: string): Widget {
  const ownerReferences = [{ apiVersion: "v1", kind: "Owner", name: "o", uid: owner ?? "" }];
  const spec = { template: { ports: [{ port: 80 }], for: owner ?? "all" }, replicas };
  return JSON.parse(
    JSON.stringify({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: {
        ...{ namespace: "d", name, uid: `uid-${name}`, resourceVersion: version },
        ...(owner === undefined ? {} : { ownerReferences }),
      },
      spec,
    }),
  ) as Widget;
}

/** Every object and array in the value, as often as it is there. */
function partsOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...(Object.values(value) as unknown[]).flatMap(partsOf)];
}

/** JSON whose parts are often equal, with the names that trip up who takes an object for a map. */
const KEY = fc.constantFrom("a", "b", "1", "__proto__", "constructor", "toString", "length");
const LEAF = fc.constantFrom(
  null,
  true,
  0,
  1.5,
  "",
  "short",
  "2026-01-01T00:00:00Z",
  "a longer text",
);
const { value: VALUE } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    LEAF,
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(KEY, tie("value")), { maxLength: 4 })
      .map(
        (fields) =>
          `{${fields.map((pair) => pair.map((part) => JSON.stringify(part)).join(":")).join()}}`,
      )
      .map((text) => JSON.parse(text) as unknown),
  ),
}));

function holding(name: string, spec: unknown): KubeObject {
  // As it comes off the wire.
  return JSON.parse(JSON.stringify({ ...widget(name, "1", 1), spec })) as KubeObject;
}

describe("SharedParts", () => {
  it("changes nothing in what objects say, and has no part in an object twice", () => {
    const specs = fc.array(VALUE, { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(specs, fc.boolean(), (all, versions) => {
        const parts = new SharedParts();
        let known: KubeObject | undefined;
        for (const [index, spec] of all.entries()) {
          const object = holding(`w-${index}`, spec);
          const text = JSON.stringify(known);
          parts.share(object, versions ? known : undefined);
          expect(sameJson(object, holding(`w-${index}`, spec))).toBe(true);
          expect(JSON.stringify(known)).toBe(text);
          const own = partsOf(object);
          expect(new Set(own).size).toBe(own.length);
          expect(own).not.toContain(Object.prototype);
          known = object;
        }
      }),
      { numRuns: 500 },
    );
  });

  it("keeps what a new version has in common with the one before", () => {
    const known = widget("a", "1", 1);
    const next = widget("a", "2", 2);
    new SharedParts<Widget>().share(next, known);
    expect(next.spec.template).toBe(known.spec.template);
    expect(next.spec).toEqual({ ...known.spec, replicas: 2 });
    expect(known.spec.replicas).toBe(1);
  });

  it("shares what the objects of one owner have in common, however many others come in between", () => {
    const parts = new SharedParts<Widget>();
    const owners = ["red", "blue", "green"];
    const objects = Array.from({ length: 12 }, (_, index) =>
      widget(`w-${index}`, "1", index, owners[index % owners.length]),
    );
    for (const object of objects) parts.share(object, undefined);
    expect(new Set(objects.map(({ spec }) => spec.template)).size).toBe(owners.length);
  });

  it("leaves a frozen object as it is, and lets others share what is frozen", () => {
    const parts = new SharedParts<Widget>();
    const [first, frozen, last] = [1, 2, 3].map((count) => widget(`w-${count}`, "1", count)) as [
      Widget,
      Widget,
      Widget,
    ];
    parts.share(first, undefined);
    Object.freeze(frozen);
    parts.share(frozen, undefined);
    expect(frozen.spec.template).not.toBe(first.spec.template);
    Object.freeze(first.spec.template);
    parts.share(last, undefined);
    expect(last.spec.template).toBe(first.spec.template);
  });
});

describe("what an informer has in common", () => {
  const list = (...items: Widget[]): Reply => ({
    body: {
      apiVersion: "example.com/v1",
      kind: "WidgetList",
      metadata: { resourceVersion: "10" },
      items,
    },
  });
  const events = (...all: [string, Widget][]): Reply => ({
    stream: all.map(([type, object]) => ({ type, object })),
    then: "hang",
  });

  async function sync(replies: readonly Reply[]) {
    const clock = new VirtualClock();
    const informer = new SharedInformer<Widget>({
      listerWatcher: restListerWatcher(
        new RestClient(new ScriptedTransport(clock, replies), clock),
        WIDGETS,
      ),
      clock,
      log: silentLogger,
      watchList: false,
    });
    const stop = new AbortController();
    const running = informer.start(stop.signal);
    await clock.advance(1);
    const templateOf = (name: string): unknown => informer.indexer.get(`d/${name}`)?.spec.template;
    return { informer, templateOf, end: () => (stop.abort(), running) };
  }

  it("is one for the objects of a list, what comes later, and what is changed", async () => {
    const { templateOf, informer, end } = await sync([
      list(widget("a", "1", 1), widget("b", "2", 2)),
      events(["ADDED", widget("c", "11", 3)], ["MODIFIED", widget("a", "12", 4)]),
    ]);
    expect(informer.indexer.get("d/a")?.spec.replicas).toBe(4);
    expect(templateOf("b")).toBe(templateOf("a"));
    expect(templateOf("c")).toBe(templateOf("a"));
    expect(templateOf("a")).toEqual({ ports: [{ port: 80 }], for: "all" });
    await end();
  });

  it("is one for what this process wrote, which its writer may still change", async () => {
    const { informer, templateOf, end } = await sync([list(widget("a", "1", 1)), events()]);
    const before = templateOf("a");
    const written = widget("a", "13", 5);
    informer.noteWritten(written);
    (written.spec.template as { for: string }).for = "me";
    expect(informer.indexer.get("d/a")?.spec.replicas).toBe(5);
    expect(templateOf("a")).toBe(before);
    await end();
  });

  it("is counted once in what the objects take", () => {
    const sizes = [false, true].map((shared) => {
      const parts = new SharedParts<Widget>();
      const indexer = new Indexer<Widget>();
      for (let index = 0; index < 100; index++) {
        const object = widget(`w-${index}`, "1", 1);
        if (shared) parts.share(object, undefined);
        indexer.set(`d/w-${index}`, object);
      }
      return indexer.sizeBytes;
    });
    expect(sizes[1]).toBeLessThan(0.7 * (sizes[0] ?? 0));
  });
});
