/** The schema of a kind, judged by the rules that the API server applies to it, CEL included. */
import type { FieldError } from "../../kube/field-errors.ts";
import { defaultErrors } from "../../kube/rules/default-rules.ts";
import { keywordErrors } from "../../kube/schema/keyword-rules.ts";
import { ruleErrors } from "../../kube/rules/rule-errors.ts";
import { structuralErrors } from "../../kube/schema/structural-rules.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { schemaOf } from "../emit/schema.ts";
import type { Findings } from "../findings.ts";
import { type KindModel, type Position, type TypeModel, ruleKey } from "../model.ts";
import { ruleFix } from "./rule-fix.ts";
import { unguardedFields } from "./unguarded-fields.ts";
import { tableOf } from "../../table.ts";

const ROOT = "openAPIV3Schema";

/** The rules that the control plane enforces too; returns how many bytes the schema has as JSON. */
export function checkSchema(kind: KindModel, findings: Findings): number {
  const schema = schemaOf(kind.type);
  if (kind.statusSubresource) checkRoot(kind, schema, findings);
  for (const error of schemaErrors(schema)) {
    const { place, keyword, shown, type } = locate(kind.type, error);
    // A placeholder stands for a type that could not be read, which was reported.
    if (hasUnread(type) && !isOfSyntax(keyword, error)) continue;
    if (keyword === "default" && isInexact(type.schema.default)) {
      findings.error(
        place,
        "wrong-default",
        `The default of ${shown} is beyond 2^53 - 1, where JavaScript numbers are not exact, so an operator could not read the exact value.`,
        "Use a smaller number, or a string if it is an identifier rather than an amount.",
      );
      continue;
    }
    findings.error(
      place,
      CODES.get(keyword) ?? "schema-refused",
      `The API server refuses ${shown === "" ? kind.kind : shown}: ${withoutDump(error.message)}.`,
      fixFor(keyword, error, type),
    );
  }
  checkGuards(kind.type, findings);
  checkBare(kind.type, findings);
  return Buffer.byteLength(JSON.stringify(schema));
}

/** Whether a whole number is one of several that look the same to JavaScript. */
const isInexact = (value: unknown): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value);

/** A rule that cannot be parsed is wrong whatever the fields are. */
const isOfSyntax = (keyword: string, { message }: FieldError): boolean =>
  keyword === RULES && message.includes("Syntax error");

/** A rule may read a field that is not there; the API server finds that out with the first object. */
function checkGuards(type: TypeModel, findings: Findings): void {
  for (const { rule } of type.schema[RULES] ?? []) {
    for (const path of unguardedFields(rule, schemaOf(type))) {
      findings.warn(
        type.saidAt.get(ruleKey(rule)) ?? type.at,
        "rule-without-has",
        `The rule reads ${path}, which is optional. It fails for objects without the field and rejects them.`,
        `Start it with !has(${path}) ||, or make the field required.`,
      );
    }
  }
  for (const { type: inner } of type.properties ?? []) checkGuards(inner, findings);
  if (type.items) checkGuards(type.items, findings);
  if (type.values) checkGuards(type.values, findings);
}

/** Warns about fields that TypeScript lets through and the API server drops. */
function checkBare(type: TypeModel, findings: Findings): void {
  const { schema, isBare, at } = type;
  const keepsFields =
    schema["x-kubernetes-preserve-unknown-fields"] ?? schema["x-kubernetes-embedded-resource"];
  if (isBare && !keepsFields) {
    findings.warn(
      at,
      "object-drops-fields",
      "This type accepts any field, but its schema declares none, so the API server drops them all.",
      "Declare the fields, or use Record<string, unknown> to keep all fields, or Record<string, never> for an object without fields.",
    );
  }
  for (const { type: inner } of type.properties ?? []) checkBare(inner, findings);
  if (type.items) checkBare(type.items, findings);
  if (type.values) checkBare(type.values, findings);
}

function hasUnread({ unread, properties = [], items, values }: TypeModel): boolean {
  return (
    unread === true ||
    properties.some(({ type }) => hasUnread(type)) ||
    (items !== undefined && hasUnread(items)) ||
    (values !== undefined && hasUnread(values))
  );
}

/** A message without the value of a structure, which the source shows better. */
function withoutDump(message: string): string {
  const head = "Invalid value: ";
  if (!message.startsWith(`${head}{`)) return message;
  let depth = 0;
  let inText = false;
  for (let index = head.length; index < message.length; index++) {
    const character = message[index];
    if (character === "\\") index++;
    else if (character === '"') inText = !inText;
    else if (!inText && character === "{") depth++;
    else if (!inText && character === "}" && --depth === 0) {
      return message.slice(index + 1).replace(/^: /, "");
    }
  }
  return message;
}

const CODES = tableOf<string>({
  pattern: "wrong-pattern",
  default: "wrong-default",
  "x-kubernetes-list-map-keys": "wrong-list-map",
  "x-kubernetes-validations": "wrong-cel-rule",
});

function fixFor(keyword: string, error: FieldError, type: TypeModel): string {
  switch (keyword) {
    case RULES:
      return ruleFix(error.message, type);
    case "pattern":
      return "Write it in RE2's syntax: https://github.com/google/re2/wiki/Syntax.";
    case "default":
      return "Use a value that the field's own type and markers allow.";
    case "x-kubernetes-list-map-keys":
      return "Name fields of the items that are required or have a default.";
    default:
      if (error.message.includes("rule cost")) return ruleFix(error.message, type);
      return error.message.includes("must have a default or be a required property")
        ? "Make the key field required, or give it a default."
        : "Change the field's type or its markers.";
  }
}

const RULES = "x-kubernetes-validations";
const KEYS = "x-kubernetes-list-map-keys";

/**
 * The place in the source of a path such as `openAPIV3Schema.properties[spec].items.pattern`. What is
 * wrong with the items of a list because of its keys is said at the list.
 */
function locate(
  root: TypeModel,
  { field, message }: FieldError,
): { place: Position; keyword: string; shown: string; type: TypeModel } {
  let type = root;
  let rest = field.slice(ROOT.length);
  let shown = "";
  let keyed: Position | undefined;
  for (;;) {
    keyed = type.saidAt.get(KEYS) ?? keyed;
    const property = /^\.properties\[([^\]]+)\]/.exec(rest);
    const next = property
      ? type.properties?.find(({ name }) => name === property[1])?.type
      : /^\.items\b/.test(rest)
        ? type.items
        : /^\.additionalProperties\b/.test(rest)
          ? type.values
          : undefined;
    if (!next) break;
    if (property) shown += `${shown === "" ? "" : "."}${property[1] ?? ""}`;
    else shown += rest.startsWith(".items") ? "[*]" : "{*}";
    rest = rest.slice(property ? property[0].length : /^\.\w+/.exec(rest)?.[0].length);
    type = next;
  }
  const keyword = /^\.([\w-]+)/.exec(rest)?.[1] ?? "";
  if (keyed && /list-map-keys|list-type/.test(message))
    return { place: keyed, keyword: KEYS, shown, type };
  const index = keyword === RULES ? /\[(\d+)\]/.exec(rest)?.[1] : undefined;
  const rule = index === undefined ? undefined : type.schema[RULES]?.[Number(index)]?.rule;
  const said = rule === undefined ? undefined : type.saidAt.get(ruleKey(rule));
  return { place: said ?? type.saidAt.get(keyword) ?? type.at, keyword, shown, type };
}

/**
 * The errors in the order in which the control plane finds them; unlike there, one mistake does not
 * hide the next.
 */
function schemaErrors(schema: Schema): FieldError[] {
  const structure = structuralErrors(schema, ROOT);
  const defaults = structure.length === 0 ? defaultErrors(schema, ROOT) : [];
  const keywords = keywordErrors(schema, ROOT);
  // A rule on a wrong structure can be parsed or not; nothing else can be said of it.
  const rules = ruleErrors(schema, ROOT, keywords).filter((error) => {
    const [place = ""] = error.field.split(`.${RULES}`);
    const isSound = !structure.some(({ field }) => field.startsWith(place));
    return isSound || isOfSyntax(RULES, error);
  });
  return [...structure, ...defaults, ...keywords, ...rules];
}

const ROOT_ONLY_WITHOUT_STATUS: readonly (keyof Schema)[] = [
  "default",
  "nullable",
  "enum",
  "minProperties",
  "maxProperties",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "additionalProperties",
  "x-kubernetes-map-type",
];

/** Checks the keywords at the root: with a status subresource, the API server takes few of them. */
function checkRoot(kind: KindModel, schema: Schema, findings: Findings): void {
  for (const keyword of ROOT_ONLY_WITHOUT_STATUS) {
    if (schema[keyword] === undefined) continue;
    findings.error(
      kind.type.saidAt.get(keyword) ?? kind.at,
      "wrong-root-keyword",
      `The API server refuses ${keyword} on the kind itself, since it has a status subresource.`,
      "Put it on the class of the spec, or write it as a rule with @Cel.",
    );
  }
}
