/** Validation of the metadata of a template. */
import { type FieldError, forbidden } from "../../../../kube/field-errors.ts";
import { validateAnnotations, validateLabels } from "../../../../kube/metadata.ts";
import type { ObjectMeta } from "../../../../kube/object.ts";
import { asGiven } from "../../strategies/emptied.ts";

/**
 * The forbidden fields in the order of messages, with the names there: Go's, except for the first
 * letter.
 */
const FORBIDDEN: readonly (readonly [field: string, shown: string])[] = [
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
].map((field) => [field, field === "uid" ? "uID" : field]);

/**
 * Validates that a template has only labels and annotations; empty lists in other fields are
 * refused, too.
 */
export const templateMetadataErrors = (at: string, metadata: ObjectMeta): FieldError[] => [
  ...validateAnnotations(metadata.annotations, `${at}.annotations`),
  ...validateLabels(metadata.labels, `${at}.labels`),
  ...FORBIDDEN.filter(([field]) => asGiven(metadata, field) !== null).map(([, shown]) =>
    forbidden(`${at}.${shown}`, "cannot be set"),
  ),
];
