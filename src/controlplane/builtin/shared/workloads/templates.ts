/**
 * Removes from pod templates what belongs to features that are off.
 *
 * @module
 */
import { dropFromTemplate } from "../pods/defaults.ts";
import type { Templated } from "../pods/warnings.ts";

/** Removes what belongs to features that are off from the template of a workload. */
export function dropFromWorkload(object: Templated): void {
  dropFromTemplate(object.spec.template);
}
