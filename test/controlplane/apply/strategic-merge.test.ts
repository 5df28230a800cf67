import { describe, expect, it } from "vitest";
import { strategicMerge } from "../../../src/controlplane/apply/strategic-merge.ts";
import { findBuiltInSchema } from "../../../src/controlplane/builtin/definitions.ts";
import { StatusError } from "../../../src/kube/status.ts";

const pod = findBuiltInSchema({ group: "", version: "v1", kind: "Pod" }) ?? {};
const live = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", labels: { a: "1", b: "2" }, finalizers: ["x", "y", "z"] },
  spec: {
    containers: [
      { name: "a", image: "a:1", args: ["1"] },
      { name: "b", image: "b:1" },
    ],
  },
};
interface Patched {
  kind: string;
  metadata: Record<string, unknown>;
  spec: { containers: object[] };
}
const patched = (patch: object): Patched => strategicMerge(live, patch, pod) as unknown as Patched;

function messageOf(patch: object): string {
  try {
    patched(patch);
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "merged";
}

describe("strategicMerge", () => {
  it("merges maps, deletes on null, and ignores the type in the patch", () => {
    const result = patched({ kind: "Secret", metadata: { labels: { a: null, c: "3" } } });
    expect(result.metadata["labels"]).toEqual({ b: "2", c: "3" });
    expect(result.kind).toBe("Pod");
  });

  it("merges lists by their key, new items first, and replaces lists that have none", () => {
    const containers = [
      { name: "c", image: "c:1" },
      { name: "a", args: ["2"] },
    ];
    expect(patched({ spec: { containers } }).spec.containers).toEqual([
      { name: "c", image: "c:1" },
      { name: "a", image: "a:1", args: ["2"] },
      { name: "b", image: "b:1" },
    ]);
  });

  it("follows $patch in items, maps and lists", () => {
    const containers = (...items: object[]) => patched({ spec: { containers: items } }).spec;
    expect(containers({ name: "a", $patch: "delete" }).containers).toEqual([
      { name: "b", image: "b:1" },
    ]);
    expect(containers({ $patch: "replace" }, { name: "n" }).containers).toEqual([{ name: "n" }]);
    expect(
      patched({ metadata: { labels: { $patch: "replace", z: "1" } } }).metadata["labels"],
    ).toEqual({ z: "1" });
    expect(
      patched({ spec: { nodeSelector: { $patch: "replace", z: "1" } } }).spec,
    ).not.toHaveProperty("nodeSelector");
  });

  it("follows $setElementOrder, $deleteFromPrimitiveList and $retainKeys", () => {
    expect(
      patched({ spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] } }).spec
        .containers,
    ).toMatchObject([{ name: "b" }, { name: "a" }]);
    expect(
      patched({ metadata: { "$deleteFromPrimitiveList/finalizers": ["y"] } }).metadata[
        "finalizers"
      ],
    ).toEqual(["x", "z"]);
    expect(patched({ metadata: { $retainKeys: ["name"], name: "q" } }).metadata).toEqual({
      name: "q",
    });
  });

  it("leaves the live object as it was", () => {
    const before = JSON.stringify(live);
    patched({ spec: { containers: [{ name: "a", image: "z" }] }, metadata: null });
    expect(JSON.stringify(live)).toBe(before);
  });

  it.each([
    [
      { spec: { containers: [{ image: "x" }] } },
      "500 map: map[image:x] does not contain declared merge key: name",
    ],
    [
      { spec: { containers: [{ name: "a", $patch: "nope" }] } },
      "500 unknown patch type: nope in map: map[$patch:nope name:a]",
    ],
    [
      { metadata: { "$setElementOrder/finalizers": ["b"], finalizers: ["q"] } },
      "500 The order in patch list:\n[q]\n doesn't match $setElementOrder list:\n[b]\n",
    ],
    [
      { metadata: { "$setElementOrder/finalizers": "x" } },
      "500 expected a []interface {}, but received a string",
    ],
    [{ metadata: { $retainKeys: "x" } }, "400 invalid patch format of retainKeys"],
  ])("refuses %j in the API server's words", (patch, message) => {
    expect(messageOf(patch)).toBe(message);
  });
});
