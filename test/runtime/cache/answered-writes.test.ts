/** What is remembered of answers to writes, and which knowledge of the object counts. */
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/kube/object.ts";
import {
  AnsweredWrites,
  type RepeatableWrite,
} from "../../../src/runtime/cache/answered-writes.ts";
import { namedPart } from "../../../src/runtime/cache/owned-part.ts";

const KIND = { apiVersion: "v1", kind: "Secret" };

function applyOf(intent: object, manager = "a"): RepeatableWrite {
  return {
    verb: "apply",
    fieldManager: manager,
    request: { intent },
    applier: { manager, subresource: undefined },
    partOf: (object) => namedPart(object, intent),
  };
}

interface State {
  readonly version: string;
  readonly value?: string;
  readonly owned?: object;
  readonly uid?: string;
}

function stateOf({ version, value = "x", owned = { "f:data": { "f:a": {} } }, uid = "u" }: State) {
  const managedFields = [{ manager: "a", operation: "Apply", fieldsV1: owned }];
  const metadata = { namespace: "d", name: "one", uid, resourceVersion: version, managedFields };
  return { ...KIND, metadata, data: { a: value } } as unknown as KubeObject;
}

const INTENT = { data: { a: "hidden-value" } };

function remembering(): AnsweredWrites {
  const answers = new AnsweredWrites();
  answers.remember(applyOf(INTENT), stateOf({ version: "10" }));
  return answers;
}

/** As a list or a watch brings it. */
function see(answers: AnsweredWrites, object: KubeObject): void {
  answers.see(KIND, object, () => object.metadata.managedFields);
}

describe("an answered write", () => {
  it.each([
    ["the same state", { version: "10" }, true],
    ["an older state, of a cache that is behind", { version: "9", value: "old" }, true],
    ["a later state of which nothing was seen", { version: "11" }, false],
    ["another object of that name", { version: "10", uid: "v" }, false],
  ])("counts for %s: %j %s", (_, state, expected) => {
    expect(remembering().isAnswered(applyOf(INTENT), stateOf(state))).toBe(expected);
  });

  it.each([
    ["the same part", {}, true],
    ["another value", { value: "y" }, false],
    ["fewer owned fields", { owned: { "f:data": {} } }, false],
    ["more owned fields", { owned: { "f:data": { "f:a": {}, "f:b": {} } } }, false],
    ["another object", { uid: "v" }, false],
  ])("counts after a change to %s: %j %s", (_, change, expected) => {
    const answers = remembering();
    const later = stateOf({ version: "12", ...change });
    see(answers, later);
    expect(answers.isAnswered(applyOf(INTENT), later)).toBe(expected);
    // What was seen counts, also where the cache does not have it yet.
    expect(answers.isAnswered(applyOf(INTENT), stateOf({ version: "10" }))).toBe(expected);
    // A stale list changes nothing of that.
    see(answers, stateOf({ version: "11", value: "z" }));
    expect(answers.isAnswered(applyOf(INTENT), later)).toBe(expected);
  });

  it("does not count after a change of what is owned as a whole, which leaves the owned fields as they are", () => {
    const containers = { 'k:{"name":"c"}': { ".": {}, "f:name": {}, "f:command": {} } };
    const owned = {
      "f:metadata": { "f:annotations": {} },
      "f:spec": { "f:containers": containers, "f:selector": {} },
    };
    const intent = { spec: {} };
    const pod = (version: string, command: string[], app: string, annotations: object) => {
      const { metadata } = stateOf({ version, owned });
      const spec = { containers: [{ name: "c", command }], selector: { app } };
      return { ...KIND, metadata: { ...metadata, annotations }, spec } as unknown as KubeObject;
    };
    const isAnsweredAfter = (...change: [string[], string, object]): boolean => {
      const answers = new AnsweredWrites();
      answers.remember(applyOf(intent), pod("10", ["/app"], "a", {}));
      const later = pod("11", ...change);
      see(answers, later);
      return answers.isAnswered(applyOf(intent), later);
    };
    expect(isAnsweredAfter(["/app"], "a", {})).toBe(true);
    expect(isAnsweredAfter(["/bin/sh"], "a", {})).toBe(false);
    expect(isAnsweredAfter(["/app"], "b", {})).toBe(false);
    // Others may add to a map that is owned because it was applied empty.
    expect(isAnsweredAfter(["/app"], "a", { theirs: "1" })).toBe(true);
  });

  it("keeps a foreign change that the watch brought before the answer", () => {
    const answers = remembering();
    see(answers, stateOf({ version: "12", value: "theirs" }));
    answers.remember(applyOf({ data: { a: "2" } }), stateOf({ version: "11", value: "2" }));
    const known = stateOf({ version: "12", value: "theirs" });
    expect(answers.isAnswered(applyOf({ data: { a: "2" } }), known)).toBe(false);
  });

  it("is another one with another value or manager, and the same one with other orders of keys", () => {
    const answers = new AnsweredWrites();
    const known = stateOf({ version: "10" });
    answers.remember(applyOf({ data: { a: 1, b: [{ c: 1, d: 2 }] } }), known);
    const isAnswered = (intent: object, manager?: string): boolean =>
      answers.isAnswered(applyOf(intent, manager), known);
    expect(isAnswered({ data: { b: [{ d: 2, c: 1 }], a: 1 } })).toBe(true);
    expect(isAnswered({ data: { b: [{ d: 2, c: 1 }], a: "1" } })).toBe(false);
    expect(isAnswered({ data: { a: 1, b: [{ c: 1, d: 2 }], c: null } })).toBe(false);
    expect(isAnswered({ data: { a: 1, b: [{ c: 1, d: 2 }] } }, "b")).toBe(false);
  });

  it("is told by the named fields where the manager owns nothing", () => {
    const answers = new AnsweredWrites();
    answers.remember(applyOf(INTENT), stateOf({ version: "10", owned: {} }));
    const bare = { ...stateOf({ version: "12" }), metadata: { name: "one" } };
    expect(answers.isAnswered(applyOf(INTENT), bare as KubeObject)).toBe(false);
  });

  it("leaves nothing of its values in memory", () => {
    const answers = remembering();
    const text = inspect(answers, { depth: 20, showHidden: true });
    expect(text).not.toContain("hidden-value");
  });
});
