import type { Check } from "../../../../kube/check.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";

const MOST_PARAMETERS = 512;

export const MOST_BYTES = 256 * 1024;

export function checkProvisioner(name: Check<string | undefined>): void {
  if (name.given()) name.as(name.value?.toLowerCase()).named(qualifiedNameErrors);
}

export const bytesOf = (texts: Readonly<Record<string, string>>): number =>
  Object.entries(texts).reduce((sum, [key, value]) => sum + key.length + value.length, 0);

export function checkParameters(parameters: Check<Record<string, string> | undefined>): void {
  const { value = {} } = parameters;
  if (Object.keys(value).length > MOST_PARAMETERS) {
    parameters.tooLong(MOST_PARAMETERS);
    return;
  }
  if (Object.hasOwn(value, "")) parameters.invalid("field can not be empty.", "");
  if (bytesOf(value) > MOST_BYTES) parameters.tooLong(MOST_BYTES);
}
