/**
 * What a field selector may ask of a built-in kind, beside metadata.name and metadata.namespace.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 * @module
 */
import type { SentObject } from "../../kube/object.ts";
import { textAt } from "./at.ts";

/** Reads one value as the text that selectors compare; an absent field has the zero value of its type. */
type FieldReader = (object: SentObject) => string;

/** From the name of a field to what reads it. */
export type SelectableFields = Readonly<Record<string, FieldReader>>;

/** Reads the field under `path`; `absent` when there is none. */
export const field =
  (path: string, absent = ""): FieldReader =>
  (object) =>
    textAt(object, path, absent);

/** Fields that are selected by their own path, some with the text of an absent value. */
export const fields = (
  ...paths: readonly (string | readonly [string, string])[]
): SelectableFields =>
  Object.fromEntries(
    paths.map((entry) => {
      const [path, absent] = typeof entry === "string" ? [entry, ""] : entry;
      return [path, field(path, absent)];
    }),
  );

/** The short refusal of a field that cannot be selected. */
export const labelNotSupported = (name: string): string => `field label not supported: ${name}`;
