/**
 * The kind that the operators of `bench/reconciles.ts` reconcile, as if it were their own: 1.5 kB an object.
 */
import type { KubeObject } from "../src/index.ts";

export const GROUP = "bench.example.com";
export const VERSION = "v1";
export const KIND = "Web";
export const PLURAL = "webs";
export const NAMESPACE = "bench";

/** The fields that operators read. */
export interface Web extends KubeObject {
  spec: { at: string; options: Record<string, string> };
  status?: { observedGeneration?: number };
}

/** The name of an object. */
export const nameOf = (index: number): string => `web-${String(index).padStart(6, "0")}`;

/** The object of an index; `version` is the value of all fields that change. */
export function webOf(index: number, version: string): object {
  const options = Array.from({ length: 8 }, (_, line) => [`option-${line}`, "x".repeat(60)]);
  const fields = Object.fromEntries(options.map(([key = ""]) => [`f:${key}`, {}]));
  const time = "2026-01-01T00:00:00Z";
  return {
    apiVersion: `${GROUP}/${VERSION}`,
    kind: KIND,
    metadata: {
      name: nameOf(index),
      namespace: NAMESPACE,
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      resourceVersion: version,
      generation: 1,
      creationTimestamp: time,
      labels: { "app.kubernetes.io/name": "bench", "app.kubernetes.io/instance": nameOf(index) },
      managedFields: [
        {
          manager: "bench",
          operation: "Update",
          apiVersion: `${GROUP}/${VERSION}`,
          time,
          fieldsType: "FieldsV1",
          fieldsV1: { "f:spec": { ".": {}, "f:at": {}, "f:options": { ".": {}, ...fields } } },
        },
      ],
    },
    spec: { options: Object.fromEntries(options) as object, at: version },
    status: version,
  };
}
