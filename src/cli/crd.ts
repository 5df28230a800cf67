/**
 * CustomResourceDefinitions among manifests.
 *
 * @module
 */
import type { KubeObject } from "../kube/object.ts";

/** A CRD, as far as a roll-out reads it. */
export interface Crd extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; message?: string }[];
  };
}

/** Whether a manifest is a CRD. */
export function isCrd(object: KubeObject): object is Crd {
  return object.kind === "CustomResourceDefinition";
}
