/** Deletion of pods. */
import type { Pod } from "./shape.ts";

/** The grace period of a pod's deletion, in seconds; `asked` is that of the request. */
export function podGraceSeconds({ spec, status }: Pod, asked: number | undefined): number {
  const period = asked ?? spec.terminationGracePeriodSeconds ?? 0;
  // A pod that has no node or has ended needs no grace period.
  if (!spec.nodeName || status?.phase === "Succeeded" || status?.phase === "Failed") return 0;
  return period < 0 ? 1 : period;
}
