/** Warnings about Jobs. */
import type { SentObject } from "../../../../../kube/object.ts";
import { isUncounted, nameWarnings, templateWarnings } from "../../../shared/pods/warnings.ts";
import { tooManyIndexes } from "../job-spec.ts";
import type { Job } from "./shape.ts";

/** Warnings about a Job. */
export function jobWarnings(object: Job, old: SentObject | undefined): string[] {
  if (isUncounted(object, old)) return [];
  const tooMany = tooManyIndexes("spec", object.spec);
  const names = nameWarnings(old ? undefined : object.metadata.name);
  return [...names, ...tooMany, ...templateWarnings(object, old)];
}
