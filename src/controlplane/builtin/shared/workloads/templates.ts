/** Drops the fields of disabled features from pod templates. */
import { dropFromTemplate } from "../pods/defaults.ts";
import type { Templated } from "./pod-warnings.ts";

/** Drops the fields of disabled features from the template of a workload. */
export function dropFromWorkload(object: Templated): void {
  dropFromTemplate(object.spec.template);
}
