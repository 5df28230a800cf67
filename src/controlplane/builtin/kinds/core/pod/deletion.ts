/**
 * Deletion of pods.
 *
 * @module
 */
import type { Pod } from "./shape.ts";

/** How long a pod may take to end; `asked` is the grace period of the request. */
export function podGraceSeconds({ spec, status }: Pod, asked: number | undefined): number {
  const period = asked ?? spec.terminationGracePeriodSeconds ?? 0;
  // Nobody would end a pod that has no node, or that has ended already.
  if (!spec.nodeName || status?.phase === "Succeeded" || status?.phase === "Failed") return 0;
  return period < 0 ? 1 : period;
}
