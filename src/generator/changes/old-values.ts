/** Values that an old schema takes, chosen where a new one is likely to refuse them. */
import { copyJson, isJsonObject } from "../../kube/json.ts";
import type { Json } from "../../kube/object.ts";
import { RuleChecker } from "../../kube/rules/rule-check.ts";
import { listErrors } from "../../kube/schema/lists.ts";
import { type Schema, valuesOf } from "../../kube/schema/structural.ts";
import { SchemaValidator } from "../../kube/schema/validate.ts";
import { textOnlyIn } from "./pattern-inclusion.ts";

/** The number of candidates of one node. */
const CANDIDATES_MAX = 400;
/** The number of candidates of a field within its object, and of an item within its list. */
const PARTS_MAX = 12;
/** Deeper parts of a value are left out where they may be. */
const DEPTH_MAX = 4;
/** Longer texts and lists are not tried: they would not be shown. */
const LENGTH_MAX = 300;
const MATCHES_NOTHING = "[^\\s\\S]";

/** The values that `before` takes, among those near the limits of both schemas; the simplest ones first. */
export function oldValues(before: Schema, after: Schema): Json[] {
  const validator = new SchemaValidator(before);
  const rules = new RuleChecker(before, false);
  const words = literalsIn([before, after]);
  return distinct(candidates(before, after, words, 0)).filter((value) => {
    const copy = copyJson(value);
    return (
      validator.validate(copy).length === 0 &&
      listErrors(copy, before).length === 0 &&
      rules.check(copy, undefined).length === 0
    );
  });
}

/** The numbers and texts that the rules of the schemas compare with: their limits, in most cases. */
interface Literals {
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
}

function literalsIn(schemas: readonly Schema[]): Literals {
  const rules = schemas.flatMap((schema) => rulesOf(schema)).join("\n");
  const texts = [...rules.matchAll(/"([^"\\\n]*)"|'([^'\\\n]*)'/g)].map(([, a, b]) => a ?? b ?? "");
  const numbers = [...rules.matchAll(/-?\b\d+(?:\.\d+)?\b/g)].map(([text]) => Number(text));
  return { texts: [...new Set(texts)].slice(0, 20), numbers: [...new Set(numbers)].slice(0, 20) };
}

function rulesOf(schema: Schema): string[] {
  const own = (schema["x-kubernetes-validations"] ?? []).map(({ rule }) => rule);
  const below = [...Object.values(schema.properties ?? {}), schema.items, valuesOf(schema)];
  return [...own, ...below.flatMap((child) => (child ? rulesOf(child) : []))];
}

function distinct(values: Iterable<Json>): Json[] {
  const seen = new Map<string, Json>();
  for (const value of values) {
    if (seen.size >= CANDIDATES_MAX) break;
    const text = JSON.stringify(value);
    if (!seen.has(text)) seen.set(text, value);
  }
  return [...seen.values()];
}

function* candidates(
  before: Schema,
  after: Schema,
  words: Literals,
  depth: number,
): Generator<Json> {
  for (const schema of [before, after]) {
    yield* schema.enum ?? [];
    if (schema.default !== undefined) yield schema.default;
    if (schema.example !== undefined) yield schema.example;
  }
  const flexible = before["x-kubernetes-int-or-string"] === true;
  if (before.type === "integer" || before.type === "number" || flexible) {
    yield* numbers(before, after, words);
  }
  if (before.type === "string" || flexible) yield* texts(before, after, words);
  if (before.type === "boolean") yield* [true, false];
  if (before.type === "array") yield* lists(before, after, words, depth);
  if (before.type === "object") yield* objects(before, after, words, depth);
  if (before.type === undefined && !flexible) yield* [1, "a", true, {}, []];
  if (before.nullable) yield null;
}

const isDefined = <T>(value: T | undefined): value is T => value !== undefined;

function* numbers(before: Schema, after: Schema, words: Literals): Generator<number> {
  const limits = [before, after].flatMap(({ minimum, maximum }) => [minimum, maximum]);
  const steps = [before, after].map(({ multipleOf }) => multipleOf).filter(isDefined);
  const known = [1, 0, ...limits.filter(isDefined), ...words.numbers];
  const between = known.flatMap((limit) => known.map((other) => (limit + other) / 2));
  const near = known.flatMap((limit) => [
    limit,
    limit - 1,
    limit + 1,
    ...(before.type === "number" ? [limit - 0.5, limit + 0.5] : []),
    ...steps.flatMap((step) => {
      const multiple = Math.floor(limit / step) * step;
      return [multiple - step, multiple, multiple + step, multiple + 2 * step];
    }),
  ]);
  yield* near;
  if (before.type === "number") yield* between;
  yield* [2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1];
}

function* texts(before: Schema, after: Schema, words: Literals): Generator<string> {
  if (before.pattern !== undefined) {
    const found = textOnlyIn(before.pattern, MATCHES_NOTHING);
    if (typeof found === "object") yield found.text;
  }
  yield* ["a", "", ...words.texts, "2026-01-31", "10.0.0.1", "http://a.example"];
  const limits = [before, after].flatMap(({ minLength, maxLength }) => [minLength, maxLength]);
  for (const limit of [...limits.filter(isDefined), ...words.numbers]) {
    for (const length of [limit - 1, limit, limit + 1]) {
      if (length >= 0 && length <= LENGTH_MAX) yield "a".repeat(length);
    }
  }
}

function* lists(before: Schema, after: Schema, words: Literals, depth: number): Generator<Json> {
  const items = partsOf(before.items, after.items, words, depth);
  yield [];
  for (const item of items) yield [item];
  for (const item of items) {
    yield [item, item];
    if (items[0] !== undefined) yield [items[0], item];
  }
  const limits = [before, after].flatMap(({ minItems, maxItems }) => [minItems, maxItems]);
  for (const limit of [...limits.filter(isDefined), ...words.numbers]) {
    for (const length of [limit - 1, limit, limit + 1]) {
      if (!Number.isInteger(length) || length < 0 || length > LENGTH_MAX) continue;
      yield Array.from({ length }, (_, index) => different(items, index));
    }
  }
}

/** The items of a long list, as different as the values that are known. */
const different = (items: readonly Json[], index: number): Json =>
  items[index] ?? (typeof items[0] === "string" ? `a${String(index)}` : (items[0] ?? null));

/** The values of a part that its own schema takes. */
function partsOf(
  before: Schema | undefined,
  after: Schema | undefined,
  words: Literals,
  depth: number,
): Json[] {
  if (!before || depth >= DEPTH_MAX) return [];
  const validator = new SchemaValidator(before);
  return distinct(candidates(before, after ?? before, words, depth + 1))
    .filter((value) => validator.validate(copyJson(value)).length === 0)
    .slice(0, PARTS_MAX);
}

function* objects(before: Schema, after: Schema, words: Literals, depth: number): Generator<Json> {
  const values = valuesOf(before);
  if (values) {
    const parts = partsOf(values, valuesOf(after), words, depth);
    yield {};
    for (const part of parts) yield { a: part };
    const limits = [before, after].flatMap(({ minProperties, maxProperties }) => [
      minProperties,
      maxProperties,
    ]);
    for (const limit of limits.filter(isDefined)) {
      for (const size of [limit - 1, limit, limit + 1]) {
        if (size < 0 || size > LENGTH_MAX) continue;
        const names = Array.from({ length: size }, (_, index) => `a${String(index)}`);
        yield Object.fromEntries(names.map((name) => [name, parts[0] ?? null]));
      }
    }
    return;
  }
  yield* fieldsOf(before, after, words, depth);
}

function* fieldsOf(before: Schema, after: Schema, words: Literals, depth: number): Generator<Json> {
  const required = new Set(before.required);
  const known = Object.entries(before.properties ?? {}).flatMap(([name, schema]) => {
    const parts = partsOf(schema, after.properties?.[name], words, depth);
    return parts.length > 0 ? [{ name, parts, optional: !required.has(name) }] : [];
  });
  const optional = known.filter((field) => field.optional);
  const smallest = Object.fromEntries(
    known.flatMap(({ name, parts, optional: free }) => (free ? [] : [[name, parts[0] ?? null]])),
  );
  yield smallest;
  // One field at a time, then each with each other one, then all kinds of mixtures: what is forbidden together, or needed together, shows.
  for (const { name, parts } of known) {
    for (const part of parts) yield { ...smallest, [name]: part };
  }
  for (const { name, parts } of known) {
    for (const other of optional) {
      if (other.name === name) continue;
      for (const part of parts)
        yield { ...smallest, [name]: part, [other.name]: other.parts[0] ?? null };
    }
  }
  const choose = chooser();
  for (let count = 0; count < CANDIDATES_MAX; count++) {
    const chosen = known.filter((field) => !field.optional || choose(2) === 0);
    yield Object.fromEntries(
      chosen.map(({ name, parts }) => [name, parts[choose(parts.length)] ?? null]),
    );
  }
}

/** The same choices in each run. */
function chooser(): (count: number) => number {
  let state = 1;
  return (count) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return (state >>> 8) % count;
  };
}

/** A value on one line, with its long parts cut; for messages. */
export function showValue(value: Json): string {
  const text = JSON.stringify(shortened(value));
  return text.length <= 160 ? text : `${text.slice(0, 159)}…`;
}

function shortened(value: Json): Json {
  if (typeof value === "string" && value.length > 40) {
    return `${value.slice(0, 20)}… (${String(value.length)} characters)`;
  }
  if (Array.isArray(value)) {
    return value.length > 5
      ? [...value.slice(0, 4).map(shortened), `… (${String(value.length)} items)`]
      : value.map(shortened);
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shortened(part)]));
}
