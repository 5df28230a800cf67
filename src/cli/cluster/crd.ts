import type { ManifestObject } from "../../kube/object.ts";
import type { ResourceType } from "../../kube/resource.ts";

/** The resource of CRDs themselves. */
export const crdResource: ResourceType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/** A CRD, as far as a roll-out reads it. */
export interface Crd extends ManifestObject {
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  readonly status?: {
    readonly storedVersions?: readonly string[];
    readonly conditions?: readonly { type: string; status: string; message?: string }[];
  };
}

export function isCrd<T extends ManifestObject>(object: T): object is Crd & T {
  return object.kind === "CustomResourceDefinition";
}
