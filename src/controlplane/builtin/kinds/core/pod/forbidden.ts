/**
 * Answers 403 about a pod, as admission words them.
 *
 * @module
 */
import { type StatusError, failure } from "../../../../../kube/status.ts";
import type { Pod } from "./shape.ts";

/** The refusal of a pod that has a name, or will get one. */
export function podForbidden({ metadata }: Pod, message: string): StatusError {
  // Where nothing has the name yet that is to be generated, its beginning stands for it.
  const name = metadata.name || metadata.generateName || "Unknown";
  return failure(403, "Forbidden", `pods "${name}" is forbidden: ${message}`, {
    name,
    kind: "pods",
  });
}
