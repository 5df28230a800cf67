/** The fields that a selector may use, and the API server's errors for others. */
import type { ServedResource } from "../../kinds.ts";

/** The error of a field selector's field; `undefined` when the resource has it. */
export function fieldErrorFor(resource: ServedResource, field: string): string | undefined {
  const { builtIn, namespaced, selectableFields, traits = {} } = resource;
  if (field === "metadata.name") return undefined;
  const hasNamespace = builtIn ? !traits.selectsNoNamespace : namespaced;
  if (field === "metadata.namespace" && hasNamespace) return undefined;
  if (selectableFields && Object.hasOwn(selectableFields, field)) return undefined;
  if (traits.refuseFieldLabel) return traits.refuseFieldLabel(field);
  return builtIn
    ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${field}`;
}
