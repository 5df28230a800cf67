/** Preparation of creates and updates of ResourceSlices. */
import type { SentObject } from "../../../../../kube/object.ts";
import type { WriteContext } from "../../../../kinds.ts";
import { timeOf } from "../../../../../kube/values/times.ts";

interface ResourceSlice extends SentObject {
  spec?: { devices?: { taints?: { timeAdded?: string }[] }[] };
}

/** Sets the time at which the taints of devices were added. */
export function stampDeviceTaints(object: ResourceSlice, context: WriteContext): void {
  for (const { taints = [] } of object.spec?.devices ?? []) {
    for (const taint of taints) taint.timeAdded ??= timeOf(context.clock.now());
  }
}
