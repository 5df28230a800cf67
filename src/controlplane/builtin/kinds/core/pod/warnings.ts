/** Warnings about pods. */
import type { SentObject } from "../../../../../kube/object.ts";
import { nameWarnings, specWarnings } from "../../../shared/pods/warnings.ts";
import type { Pod } from "./shape.ts";

/** Warnings about a new Pod; updates have none. */
export function podWarnings(object: Pod, old: SentObject | undefined): string[] {
  if (old) return [];
  const { metadata, spec } = object;
  return [
    ...nameWarnings(metadata.name, "the Pod's hostname"),
    ...specWarnings("spec", "metadata", metadata, spec),
  ];
}
