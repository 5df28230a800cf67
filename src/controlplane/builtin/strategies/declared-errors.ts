/**
 * Errors of rules that the sources of Kubernetes declare beside a field, such as `+k8s:required`. An API server written in
 * Go checks them after the rules that are code, and words some of them otherwise; no error is told twice.
 *
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5073-declarative-validation-with-validation-gen
 */
import {
  type FieldError,
  forbidden,
  formatFieldError,
  invalidValue,
  required,
} from "../../../kube/field-errors.ts";
import { LineTable } from "../../line-table.ts";

/** The rules of a kind by the path of the field, in the order in which they are checked. */
type DeclaredRules = Readonly<Record<string, readonly string[]>>;

const table = new LineTable<DeclaredRules>(new URL("./declared-rules.data.json", import.meta.url));

/** The errors of an object or a change, each once, those of declared rules at the end and in their words. */
export function declaredErrors(
  group: string,
  kind: string,
  errors: readonly FieldError[],
): FieldError[] {
  const distinct = [...new Map(errors.map((error) => [formatFieldError(error), error])).values()];
  const rules = table.get(`${group}/${kind}`);
  if (rules === undefined) return distinct;
  const order = Object.entries(rules).flatMap(([path, ofPath]) =>
    ofPath.map((rule) => ({ path, rule })),
  );
  // Of a field that may not change, and of what is in it, no other declared rule is checked.
  const frozen = distinct
    .filter((error) => asDeclared("immutable", error) !== undefined)
    .filter(({ field }) => rules[pathOf(field)]?.includes("immutable"));
  const isFrozen = (error: FieldError): boolean =>
    frozen.some(
      (one) =>
        one !== error && (one.field === error.field || error.field.startsWith(`${one.field}.`)),
    );
  const others: FieldError[] = [];
  const declared: { readonly place: number; readonly error: FieldError }[] = [];
  for (const error of distinct) {
    const path = pathOf(error.field);
    const place = isFrozen(error)
      ? -1
      : order.findIndex((one) => one.path === path && asDeclared(one.rule, error) !== undefined);
    const reworded = asDeclared(order[place]?.rule ?? "", error);
    if (reworded === undefined) others.push(error);
    else declared.push({ place, error: reworded });
  }
  declared.sort((one, other) => one.place - other.place);
  return [...others, ...declared.map(({ error }) => error)];
}

/** The path of a field in the table: without the places in lists and maps. */
const pathOf = (field: string): string => field.replace(/\[[^\]]*\]/g, "[]");

/** The error in the words of the rule; `undefined` when it is not the rule's. */
function asDeclared(rule: string, error: FieldError): FieldError | undefined {
  switch (rule) {
    case "required":
      return error.reason === "FieldValueRequired" ? required(error.field) : undefined;
    case "forbidden":
      return error.reason === "FieldValueForbidden" ? forbidden(error.field, "") : undefined;
    case "immutable":
      return error.message.endsWith(IMMUTABLE)
        ? invalidValue(error.field, undefined, IMMUTABLE)
        : undefined;
    case "characters":
      return error.reason === "FieldValueTooLong"
        ? { ...error, message: error.message.replace(/bytes?$/, "characters") }
        : undefined;
    case "format":
      return error.reason === "FieldValueInvalid" && !BOUND.test(error.message)
        ? { ...error, message: error.message.replace(/(no more than \d+) characters$/, "$1 bytes") }
        : undefined;
    case "bound":
      return BOUND.test(error.message) ? error : undefined;
    default:
      return error.reason === rule ? error : undefined;
  }
}

const IMMUTABLE = "field is immutable";
const BOUND = /must be (greater|less) than or equal to -?\d+$/;
