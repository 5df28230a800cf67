/**
 * The fields of the built-in kinds for field selectors, beside metadata.name and
 * metadata.namespace.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 */
import type { SentObject } from "../../kube/object.ts";
import { textAt } from "./at.ts";

/**
 * Reads a value as the text that selectors compare; an absent field has the zero value of its type.
 */
type FieldReader = (object: SentObject) => string;

export type SelectableFields = Readonly<Record<string, FieldReader>>;

/** Reads the field at `path`; `absent` when there is none. */
export const field =
  (path: string, absent = ""): FieldReader =>
  (object) =>
    textAt(object, path, absent);

/** Fields that are selected by their own path, some with a text for an absent value. */
export const fields = (
  ...paths: readonly (string | readonly [string, string])[]
): SelectableFields =>
  Object.fromEntries(
    paths.map((entry) => {
      const [path, absent] = typeof entry === "string" ? [entry, ""] : entry;
      return [path, field(path, absent)];
    }),
  );
