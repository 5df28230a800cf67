import { describe, expect, it } from "vitest";
import { Activation, Budget } from "../../../src/controlplane/admission/activation.ts";
import type { AdmissionRequest } from "../../../src/controlplane/admission/attributes.ts";
import { ExpressionCompiler } from "../../../src/controlplane/admission/expressions/expressions.ts";
import {
  applyLiteral,
  applyPatches,
  compileMutation,
} from "../../../src/controlplane/admission/policies/mutation.ts";
import { RequestView } from "../../../src/controlplane/admission/request-views.ts";
import { rootType } from "../../../src/controlplane/apply/topology.ts";
import { findBuiltInSchema } from "../../../src/controlplane/builtin/definitions.ts";
import type { ServedResource } from "../../../src/controlplane/kinds.ts";
import type { SentObject } from "../../../src/kube/object.ts";
import { CelError } from "../../../src/kube/cel/values.ts";

const kind = { group: "apps", version: "v1", kind: "Deployment" };
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", labels: { app: "web" } },
  spec: { template: { spec: { containers: [{ name: "a", image: "a:1" }] } } },
} as unknown as SentObject;

/** The deployment after a mutation. */
function mutated(patchType: "ApplyConfiguration" | "JSONPatch", expression: string): unknown {
  const part = patchType === "JSONPatch" ? "jsonPatch" : "applyConfiguration";
  const surroundings = { params: false, authorizer: true };
  const mutation = compileMutation(
    new ExpressionCompiler(),
    { patchType, [part]: { expression } },
    surroundings,
  );
  expect(mutation?.expression.problem).toBeUndefined();
  const view = new RequestView({ object: deployment } as AdmissionRequest, {} as ServedResource);
  const activation = new Activation({ view, authorize: () => ({ allowed: false, reason: "" }) });
  const result = mutation && activation.evaluate(mutation.expression, new Budget(10_000));
  if (result === undefined || result instanceof CelError) throw new Error(result?.message);
  if (patchType === "JSONPatch") return applyPatches(deployment, result);
  const schema = findBuiltInSchema(kind) ?? {};
  return applyLiteral(deployment, result, rootType({ schema, builtIn: true }), kind);
}

describe("An apply configuration of a policy", () => {
  it("merges list maps by their keys and leaves the rest", () => {
    const literal =
      "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'b', image: 'b:' + object.metadata.name}]}}}}";
    expect(mutated("ApplyConfiguration", literal)).toMatchObject({
      metadata: { labels: { app: "web" } },
      spec: {
        template: {
          spec: {
            containers: [
              { name: "a", image: "a:1" },
              { name: "b", image: "b:web" },
            ],
          },
        },
      },
    });
  });

  it("may not touch what is atomic, because the rest of it would be lost", () => {
    const literal =
      "Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}";
    expect(() => mutated("ApplyConfiguration", literal)).toThrow(
      "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector",
    );
  });

  it("is refused when a type is not named by its place", () => {
    expect(() => mutated("ApplyConfiguration", "Object{spec: Object.metadata{}}")).toThrow(
      'type mismatch: unexpected type name "Object.metadata", expected "Object.spec", which matches field name path from root Object type',
    );
  });

  it("leaves out an optional field without a value", () => {
    const literal = "Object{metadata: Object.metadata{?labels: object.?nothing}}";
    expect(mutated("ApplyConfiguration", literal)).toMatchObject({
      metadata: { labels: { app: "web" } },
    });
  });
});

describe("A JSON patch of a policy", () => {
  it("has keys escaped and makes values of objects, lists and maps", () => {
    const patch =
      "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b~c'), value: 'x'}, JSONPatch{op: 'replace', path: '/spec', value: Object.spec{replicas: 2, paused: true}}]";
    expect(mutated("JSONPatch", patch)).toMatchObject({
      metadata: { labels: { app: "web", "a/b~c": "x" } },
      spec: { replicas: 2, paused: true },
    });
  });

  it("changes nothing when a test in it fails", () => {
    const patch =
      "[JSONPatch{op: 'test', path: '/metadata/name', value: 'other'}, JSONPatch{op: 'remove', path: '/spec'}]";
    expect(mutated("JSONPatch", patch)).toBe(deployment);
  });

  it("fails in the words of the patch library", () => {
    expect(() => mutated("JSONPatch", "[JSONPatch{op: 'remove', path: '/status/x'}]")).toThrow(
      'JSON Patch: remove operation does not apply: doc is missing path: "/status/x": missing value',
    );
  });
});
