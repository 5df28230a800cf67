/** Parts that the kinds of the group storage.k8s.io share. */
import {
  type FieldError,
  invalidValue,
  nameErrorsAt,
  required,
  tooLong,
} from "../../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import { at } from "../../at.ts";
import { BOOLEAN, column } from "../../tables/column.ts";

const MOST_PARAMETERS = 512;

export const MOST_BYTES = 256 * 1024;

export function provisionerErrors(field: string, name: string): FieldError[] {
  if (name === "") return [required(field)];
  return nameErrorsAt(field, name.toLowerCase(), qualifiedNameErrors);
}

export const bytesOf = (texts: Readonly<Record<string, string>>): number =>
  Object.entries(texts).reduce((sum, [key, value]) => sum + key.length + value.length, 0);

export function parametersErrors(
  parameters: Readonly<Record<string, string>> = {},
  mayBeEmpty: boolean,
): FieldError[] {
  const field = "parameters";
  const names = Object.keys(parameters);
  if (names.length > MOST_PARAMETERS) return [tooLong(field, MOST_PARAMETERS)];
  return [
    ...(names.includes("") ? [invalidValue(field, "", "field can not be empty.")] : []),
    ...(bytesOf(parameters) > MOST_BYTES ? [tooLong(field, MOST_BYTES)] : []),
    ...(!mayBeEmpty && names.length === 0
      ? [required(field, "must contain at least one key/value pair")]
      : []),
  ];
}

export const flagColumn = (
  name: string,
  path: string,
  absent = false,
  type = BOOLEAN as object,
): ReturnType<typeof column> => column(name, (object) => at(object, path) ?? absent, type);
