import { describe, expect, it } from "vitest";
import { findBuiltInSchema } from "../../../src/controlplane/builtin/definitions.ts";
import type { Schema } from "../../../src/kube/schema/structural.ts";

function schemaOf(group: string, version: string, kind: string): Schema {
  const schema = findBuiltInSchema({ group, version, kind });
  if (!schema) throw new Error(`no ${kind}`);
  return schema;
}

function below(schema: Schema, path: string): Schema {
  let node: Schema | undefined = schema;
  for (const step of path.split(".")) {
    node = step === "[]" ? node?.items : node?.properties?.[step];
  }
  if (!node) throw new Error(`no ${path}`);
  return node;
}

describe("findBuiltInSchema", () => {
  it("puts what is referred to in the place of the reference", () => {
    const deployment = schemaOf("apps", "v1", "Deployment");
    expect(below(deployment, "spec.template.spec.containers.[].image")).toEqual({ type: "string" });
  });

  it("keeps what stands beside a reference: how lists are merged, and the defaults of keys", () => {
    const pod = schemaOf("", "v1", "Pod");
    expect(below(pod, "spec.containers")).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "name",
    });
    expect(below(pod, "spec.containers.[].ports.[].protocol").default).toBe("TCP");
  });

  it("leaves out the empty-object defaults that OpenAPI shows for nested structures", () => {
    expect(below(schemaOf("apps", "v1", "Deployment"), "metadata")).not.toHaveProperty("default");
  });

  it("says of loosely described types what they take", () => {
    const service = schemaOf("", "v1", "Service");
    expect(below(service, "spec.ports.[].targetPort")["x-kubernetes-int-or-string"]).toBe(true);
    expect(below(schemaOf("coordination.k8s.io", "v1", "Lease"), "spec.renewTime").format).toBe(
      "micro-time",
    );
    const requests = below(schemaOf("", "v1", "Pod"), "spec.containers.[].resources.requests");
    expect((requests.additionalProperties as Schema).format).toBe("quantity");
    expect(
      below(schemaOf("apps", "v1", "ControllerRevision"), "data")[
        "x-kubernetes-preserve-unknown-fields"
      ],
    ).toBe(true);
  });

  it("has schemas that contain themselves", () => {
    const definition = schemaOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    const root = below(definition, "spec.versions.[].schema.openAPIV3Schema");
    expect(root.properties?.["not"]?.properties).toBe(root.properties);
  });

  it("knows what travels to subresources, and nothing of other kinds", () => {
    expect(schemaOf("autoscaling", "v1", "Scale").properties).toHaveProperty("spec");
    expect(schemaOf("policy", "v1", "Eviction").properties).toHaveProperty("deleteOptions");
    expect(findBuiltInSchema({ group: "x", version: "v1", kind: "Pod" })).toBeUndefined();
  });
});
