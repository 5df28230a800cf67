import type { ResourceList } from "../../shared/shapes.ts";

/** The annotation of a ServiceAccount whose pods may mount only its own Secrets. */
export const ENFORCED = "kubernetes.io/enforce-mountable-secrets";

/** Amounts by resource name, sorted. */
export const sorted = (amounts: ResourceList): [string, string][] =>
  Object.entries(amounts).toSorted(([left], [right]) => (left < right ? -1 : 1));
