import { describe, expect, it } from "vitest";
import {
  asGiven,
  holdsEmptied,
  withEmptied,
  withoutEmptied,
} from "../../../../src/controlplane/builtin/go/emptied.ts";
import { internalForm, sameForm } from "../../../../src/controlplane/builtin/go/internal.ts";
import { normaliseShape } from "../../../../src/controlplane/builtin/go/shape.ts";
import { sameJson } from "../../../../src/kube/json.ts";
import type { SentObject } from "../../../../src/kube/object.ts";

const role = (rules?: unknown[]): SentObject => {
  const object = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "r" },
    ...(rules ? { rules } : {}),
  };
  normaliseShape(object);
  return object;
};

describe("A list that is sent empty", () => {
  it("is printed as none, and remembered until the object is stored", () => {
    const object = role([]);
    expect(JSON.stringify(object)).toBe(JSON.stringify(role()));
    expect(sameJson(object, role())).toBe(true);
    expect(asGiven(object, "rules")).toEqual([]);
    expect(asGiven(role(), "rules")).toBeNull();
    expect(asGiven(withoutEmptied(object), "rules")).toBeNull();
  });

  it("stands for null again where its sender is looked for", () => {
    expect(withEmptied(role([]))).toMatchObject({ rules: [] });
    const plain = role();
    expect(withEmptied(plain)).toBe(plain);
  });

  it("is found in the parts of an object", () => {
    expect(holdsEmptied(role([{ verbs: ["get"], resources: [] }]))).toBe(true);
    expect(holdsEmptied(role([{ verbs: ["get"] }]))).toBe(false);
  });

  it("is shown in the internal form, where it equals none", () => {
    const template = (args?: string[]): SentObject => {
      const object = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {},
        spec: { containers: [{ name: "c", ...(args ? { args } : {}) }] },
      };
      normaliseShape(object);
      return object;
    };
    const specOf = (object: SentObject): unknown => (object as unknown as { spec: unknown }).spec;
    const [sent, absent] = [specOf(template([])), specOf(template())];
    expect(internalForm("core.PodSpec", sent)).toMatchObject({ Containers: [{ Args: [] }] });
    expect(internalForm("core.PodSpec", absent)).toMatchObject({ Containers: [{ Args: null }] });
    expect(sameForm("core.PodSpec", sent, absent)).toBe(true);
    expect(sameForm("core.PodSpec", sent, specOf(template(["x"])))).toBe(false);
  });
});
