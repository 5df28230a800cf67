/** JSON values as Go's `fmt` prints them, for messages that quote them. */
import { quote } from "../../../kube/field-errors.ts";
import { formatNumber, isInt64, isNumeric } from "../../../kube/text/go-number.ts";
import { encodeJson, isJsonObject } from "../../../kube/json.ts";
import { sortedKeys } from "../../../kube/schema/sorted-keys.ts";

const sortedEntries = (value: object): [string, unknown][] =>
  Object.entries(value).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));

/** A list or map with its parts as `print` prints them; `undefined` for any other value. */
function printParts(value: unknown, print: (part: unknown) => string): string | undefined {
  if (Array.isArray(value)) return `[${value.map(print).join(" ")}]`;
  if (!isJsonObject(value)) return undefined;
  return `map[${sortedEntries(value)
    .map(([key, field]) => `${key}:${print(field)}`)
    .join(" ")}]`;
}

/** The value under the verb `%v`: `map[a:b]`, `[x y]`, `<nil>`. */
export function printValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "string") return value;
  if (isNumeric(value)) return formatNumber(value);
  return printParts(value, printValue) ?? encodeJson(value);
}

/** The value under the verb `%s`, which is for strings: any other value is marked with its type. */
export function printText(value: unknown): string {
  if (value === null || value === undefined) return "%!s(<nil>)";
  if (typeof value === "string") return value;
  return printParts(value, printText) ?? `%!s(${printType(value)}=${printValue(value)})`;
}

/** The value under the verb `%#v`: as Go source. */
export function printSource(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(printSource).join(", ")}}`;
  if (isJsonObject(value)) {
    return `map[string]interface {}{${sortedEntries(value)
      .map(([key, field]) => `${quote(key)}:${printSource(field)}`)
      .join(", ")}}`;
  }
  return typeof value === "string" ? quote(value) : encodeJson(value);
}

/** The value's type under the verb `%T`. */
export function printType(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (isJsonObject(value)) return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return isNumeric(value) && isInt64(value) ? "int64" : "float64";
}

/** The value as Go's JSON encoder writes it: keys sorted, `<`, `>` and `&` escaped. */
export const printJson = (value: unknown): string => escapeMarkup(encodeJson(sortedKeys(value)));

/** Escapes JSON as Go does, so that it is safe in HTML. */
export const escapeMarkup = (text: string): string =>
  text.replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
