import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SentObject } from "../../../src/kube/object.ts";
import type { Change } from "../../../src/controlplane/store/change.ts";
import { Store, storeKey } from "../../../src/controlplane/store/store.ts";

const crew = (name: string, namespace = "enterprise", rank = "ensign"): SentObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, labels: { rank } },
});

const names = (objects: readonly SentObject[]): (string | undefined)[] =>
  objects.map(({ metadata }) => metadata.name);

describe("Store", () => {
  it("gives each change the next version, and freezes what it keeps", () => {
    const store = new Store();
    const kirk = store.put("configmaps", crew("kirk"));
    const spock = store.put("configmaps", crew("spock"));
    expect(Number(spock.metadata.resourceVersion)).toBe(Number(kirk.metadata.resourceVersion) + 1);
    expect(Object.isFrozen(kirk.metadata.labels)).toBe(true);
    expect(store.version).toBe(Number(spock.metadata.resourceVersion));
  });

  it("keeps each object as it was given, whatever was stored before it", () => {
    const { data } = fc.letrec<{ data: unknown; part: unknown }>((tie) => ({
      data: fc.dictionary(fc.constantFrom("a", "b", "__proto__", "constructor"), tie("part")),
      part: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>("a long enough text", "another text", "", 0, 1, null, true),
        tie("data"),
        fc.array(tie("part"), { maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(data, { maxLength: 5 }), (all) => {
        const store = new Store();
        const texts = all.map((one) => JSON.stringify(one));
        const stored = texts.map((text, index) =>
          store.put("configmaps", {
            ...crew(`kirk-${index % 2}`),
            data: JSON.parse(text) as unknown,
          } as SentObject),
        );
        const kept = stored.map((object) => JSON.stringify((object as { data?: unknown }).data));
        expect(kept).toEqual(texts);
      }),
    );
  });

  it("has in memory once what an object has in common with the one before", () => {
    const store = new Store();
    const first = store.put("configmaps", crew("kirk"));
    const next = store.put("configmaps", crew("spock"));
    const other = store.put("configmaps", crew("scotty", "enterprise", "commander"));
    expect(next.metadata.labels).toBe(first.metadata.labels);
    expect(other.metadata.labels).toEqual({ rank: "commander" });
    expect(store.put("configmaps", crew("scotty")).metadata.labels).toEqual({ rank: "ensign" });
  });

  it("lists in the order of keys, as etcd does: by the whole key, not by namespace", () => {
    const store = new Store();
    for (const [name, namespace] of [
      ["b", "x"],
      ["a", "x-b"],
      ["a", "x"],
    ] as const) {
      store.put("configmaps", crew(name, namespace));
    }
    expect(store.list("configmaps").map(({ metadata }) => metadata.namespace)).toEqual([
      "x-b",
      "x",
      "x",
    ]);
    expect(names(store.list("configmaps", "x"))).toEqual(["a", "b"]);
  });

  it("tells listeners of changes in order, also of those that a listener makes", () => {
    const store = new Store();
    const seen: string[] = [];
    store.subscribe(({ type, object }) => {
      if (type === "ADDED" && object.metadata.name === "kirk")
        store.put("configmaps", crew("spock"));
    });
    store.subscribe(({ type, object }) => seen.push(`${type} ${object.metadata.name ?? ""}`));
    store.put("configmaps", crew("kirk"));
    store.remove("configmaps", storeKey("enterprise", "kirk"));
    expect(seen).toEqual(["ADDED kirk", "ADDED spock", "DELETED kirk"]);
  });

  it("shows a deleted object with the version of its deletion", () => {
    const store = new Store();
    store.put("configmaps", crew("redshirt"));
    const gone = store.remove("configmaps", "enterprise/redshirt");
    expect(gone?.metadata.resourceVersion).toBe(String(store.version));
    expect(store.remove("configmaps", "enterprise/redshirt")).toBeUndefined();
  });

  it("knows nothing of what happened before the state that it was loaded with", () => {
    const store = new Store({ startVersion: 40 });
    store.restore("configmaps", { ...crew("kirk"), metadata: { name: "kirk" } });
    expect(store.oldestVersion("configmaps")).toBe(40);
    expect(store.changesSince("configmaps", 40)).toEqual([]);
  });

  it("shows every earlier state again, and leads from any state to any later one", () => {
    const steps = fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.boolean()), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(steps, (writes) => {
        const store = new Store();
        const states = new Map<number, readonly string[]>([[store.version, []]]);
        for (const [name, isWrite] of writes) {
          if (isWrite) store.put("configmaps", crew(name));
          else store.remove("configmaps", `enterprise/${name}`);
          states.set(
            store.version,
            store.list("configmaps").map((object) => JSON.stringify(object)),
          );
        }
        for (const [version, state] of states) {
          const then = store.stateAt("configmaps", version);
          const { keys } = then;
          const texts = keys.map((key) => JSON.stringify(then.get(key)));
          expect(texts).toEqual(state);
          const replayed = new Map(keys.map((key, index) => [key, texts[index] ?? ""]));
          for (const change of store.changesSince("configmaps", version)) replay(replayed, change);
          expect([...replayed.values()].sort()).toEqual(
            store
              .list("configmaps")
              .map((object) => JSON.stringify(object))
              .sort(),
          );
        }
      }),
    );
  });
});

function replay(state: Map<string, string>, { type, key, object }: Change): void {
  if (type === "DELETED") state.delete(key);
  else state.set(key, JSON.stringify(object));
}
