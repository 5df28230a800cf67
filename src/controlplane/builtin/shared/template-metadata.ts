import type { Check } from "../../../kube/check.ts";
import { validateAnnotations, validateLabels } from "../../../kube/metadata.ts";
import type { ObjectMeta } from "../../../kube/object.ts";
import { asGiven } from "../go/emptied.ts";

/** The fields that only the server sets, in the order of messages. */
const FORBIDDEN = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "ownerReferences",
  "finalizers",
  "managedFields",
];

/**
 * Validates that a template has only labels and annotations; empty lists in other fields are
 * refused, too.
 */
export function checkTemplateMetadata(
  metadata: Check<Pick<ObjectMeta, "annotations" | "labels">>,
): void {
  metadata.at("annotations").by(validateAnnotations);
  metadata.at("labels").by(validateLabels);
  for (const field of FORBIDDEN) {
    const value = asGiven(metadata.value, field);
    // Messages spell the name as Go does, except for the first letter.
    const shown = field === "uid" ? "uID" : field;
    if (value !== null) metadata.child(shown, value).forbidden("cannot be set");
  }
}
