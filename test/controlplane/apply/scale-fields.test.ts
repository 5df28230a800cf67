import { describe, expect, it } from "vitest";
import {
  type ScaledKind,
  managersAfterScale,
  scaleManagers,
} from "../../../src/controlplane/apply/scale-fields.ts";
import type { ManagedFieldsEntry } from "../../../src/kube/object.ts";

const kind: ScaledKind = {
  apiVersion: "apps/v1",
  replicasPath: (apiVersion) => (apiVersion === "apps/v1" ? ".spec.replicas" : undefined),
};
const time = "2024-01-01T00:00:00Z";
const owner = (fields: object, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: "a",
  operation: "Apply",
  apiVersion: "apps/v1",
  time,
  fieldsType: "FieldsV1",
  fieldsV1: fields as Record<string, unknown>,
  ...more,
});
const both = owner({ "f:spec": { "f:paused": {}, "f:replicas": {} } });

describe("The managers of a Scale", () => {
  it("are those who own the replicas of the object, in terms of the Scale", () => {
    const other = owner({ "f:spec": { "f:paused": {} } }, { manager: "b" });
    expect(scaleManagers(kind, [both, other])).toEqual([
      owner({ "f:spec": { "f:replicas": {} } }, { apiVersion: "autoscaling/v1" }),
    ]);
  });

  it("go back to the object: who lost the replicas keeps the rest, who came has no time", () => {
    const scaler = owner(
      { "f:spec": { "f:replicas": {} } },
      { manager: "hpa", operation: "Update", apiVersion: "autoscaling/v1", subresource: "scale" },
    );
    expect(managersAfterScale(kind, [both], [scaler])).toEqual([
      owner({ "f:spec": { "f:paused": {} } }),
      { ...scaler, apiVersion: "apps/v1", time: undefined },
    ]);
  });

  it("stay as they are when the Scale changed nothing", () => {
    expect(managersAfterScale(kind, [both], scaleManagers(kind, [both]))).toEqual([both]);
  });
});
