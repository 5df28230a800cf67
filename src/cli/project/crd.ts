import type { CustomResourceDefinition } from "../../generated/k8s/apiextensions-v1.ts";
import type { ManifestObject } from "../../kube/object.ts";
import type { ResourceType } from "../../kube/resource.ts";

/** A CRD of a manifest or of a cluster. */
export type Crd = ManifestObject & Pick<CustomResourceDefinition, "spec" | "status">;

export function isCrd<T extends ManifestObject>(object: T): object is Crd & T {
  return object.kind === "CustomResourceDefinition";
}

/** The resource of the kind that a CRD defines, in its first served version; `undefined` without one. */
export function servedResource({ spec }: Crd): ResourceType | undefined {
  const { group, scope, names, versions } = spec;
  const version = versions.find(({ served }) => served)?.name;
  if (version === undefined) return undefined;
  const { kind, plural } = names;
  return { group, version, kind, plural, namespaced: scope === "Namespaced" };
}
