/** The answer 403 about a pod, in the words of admission. */
import { type StatusError, failure } from "../../../../../kube/status.ts";
import type { Pod } from "./shape.ts";

/** The 403 of a pod, by its name or the prefix of a generated one. */
export function podForbidden({ metadata }: Pod, message: string): StatusError {
  // Before a name is generated, its prefix stands for it.
  const name = metadata.name || metadata.generateName || "Unknown";
  return failure(403, "Forbidden", `pods "${name}" is forbidden: ${message}`, {
    name,
    kind: "pods",
  });
}
