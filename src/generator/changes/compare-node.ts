/** Compares one node of a schema, before and after: keyword by keyword. */
import { sameJson } from "../../kube/json.ts";
import { isKnownFormat } from "../../kube/schema/formats.ts";
import type { Schema, ValidationRule } from "../../kube/schema/structural.ts";
import type { Finding } from "./change.ts";
import { Narrowing } from "./refused-value.ts";

const LOWER = ["minimum", "minLength", "minItems", "minProperties"] as const;
const UPPER = ["maximum", "maxLength", "maxItems", "maxProperties"] as const;

const show = (value: unknown): string => JSON.stringify(value);

/** The differences of the node itself, without its children. */
export function compareNode(before: Schema, after: Schema): Finding[] {
  const narrowing = new Narrowing(before, after);
  const typed = compareTypes(before, after);
  if (typed.some(({ severity }) => severity === "breaking")) {
    return typed.map((finding) => narrowing.proved(finding));
  }
  return [
    ...[
      ...typed,
      ...compareBounds(before, after),
      ...compareEnums(before, after),
      ...compareOthers(before, after),
    ].map((finding) => narrowing.proved(finding)),
    ...compareRules(before, after, narrowing),
  ];
}

function compareTypes(before: Schema, after: Schema): Finding[] {
  const flexible = after["x-kubernetes-int-or-string"] === true;
  const wasFlexible = before["x-kubernetes-int-or-string"] === true;
  if (flexible && !wasFlexible && (before.type === "string" || before.type === "integer")) {
    const message = `numbers and strings are both valid now; clients that expect ${before.type === "string" ? "strings" : "numbers"} may read the other`;
    return [found("risky", "type", message)];
  }
  if (before.type !== after.type || flexible !== wasFlexible) {
    const open = after.type === undefined && after["x-kubernetes-preserve-unknown-fields"] === true;
    if (open) return [found("safe", "type", "any value is taken now")];
    const widened = before.type === "integer" && after.type === "number";
    return [
      found(
        widened ? "risky" : "breaking",
        "type",
        `the type was ${typeName(before)} and is ${typeName(after)}`,
      ),
    ];
  }
  return compareFormats(before, after);
}

/** A format that the API server does not know says nothing; others refuse texts and numbers. */
function compareFormats(before: Schema, after: Schema): Finding[] {
  if (before.format === after.format) return [];
  const checked = after.format !== undefined && isKnownFormat(after.format, after.type);
  const wider = before.format === "int32" && after.format === "int64";
  const message = `the format was ${before.format ?? "any"} and is ${after.format ?? "any"}`;
  return [found(checked && !wider ? "breaking" : "safe", "format", message)];
}

const typeName = (schema: Schema): string =>
  schema["x-kubernetes-int-or-string"] ? "int-or-string" : (schema.type ?? "any");

function compareBounds(before: Schema, after: Schema): Finding[] {
  const changes: Finding[] = [];
  const bound = (
    name: keyof Schema,
    old: number | undefined,
    now: number | undefined,
    sign: 1 | -1,
  ): void => {
    if (old === now) return;
    const narrower = now !== undefined && (old === undefined || (now - old) * sign > 0);
    changes.push(
      found(
        narrower ? "breaking" : "safe",
        name,
        `${name} was ${old ?? "not set"} and is ${now ?? "not set"}`,
      ),
    );
  };
  for (const name of LOWER) bound(name, before[name], after[name], 1);
  for (const name of UPPER) bound(name, before[name], after[name], -1);
  for (const name of ["exclusiveMinimum", "exclusiveMaximum"] as const) {
    const [old, now] = [before[name] === true, after[name] === true];
    if (old !== now) {
      changes.push(found(now ? "breaking" : "safe", name, `${name} is ${String(now)} now`));
    }
  }
  if (before.multipleOf !== after.multipleOf) {
    changes.push(
      found(
        after.multipleOf === undefined ? "safe" : "breaking",
        "multipleOf",
        `multipleOf was ${before.multipleOf ?? "not set"} and is ${after.multipleOf ?? "not set"}`,
      ),
    );
  }
  if (before.pattern !== after.pattern) {
    changes.push(
      found(
        after.pattern === undefined ? "safe" : "breaking",
        "pattern",
        `the pattern was ${before.pattern ?? "not set"} and is ${after.pattern ?? "not set"}`,
      ),
    );
  }
  return changes;
}

function compareEnums(before: Schema, after: Schema): Finding[] {
  if (sameJson(before.enum, after.enum)) return [];
  if (!after.enum) return [found("safe", "enum", "any value is taken now")];
  if (!before.enum) {
    return [found("breaking", "enum", `only ${after.enum.map(show).join(", ")} are taken now`)];
  }
  const [old, now] = [before.enum.map(show), after.enum.map(show)];
  const gone = old.filter((value) => !now.includes(value));
  const added = now.filter((value) => !old.includes(value));
  return [
    ...(gone.length > 0
      ? [found("breaking", "enum", `${gone.join(", ")} is no longer taken`)]
      : []),
    ...(added.length > 0 ? [found("safe", "enum", `${added.join(", ")} is taken as well`)] : []),
  ];
}

const RULES = "x-kubernetes-validations";

function compareRules(before: Schema, after: Schema, narrowing: Narrowing): Finding[] {
  const old = new Map((before[RULES] ?? []).map((rule) => [rule.rule, rule]));
  const now = new Map((after[RULES] ?? []).map((rule) => [rule.rule, rule]));
  const isRewritten = [...old.keys()].some((rule) => !now.has(rule));
  return [
    ...[...now.values()].flatMap((rule) => {
      const known = old.get(rule.rule);
      return known
        ? compareRule(known, rule)
        : [narrowing.provedRule(newRule(rule), rule, isRewritten)];
    }),
    ...[...old.keys()]
      .filter((rule) => !now.has(rule))
      .map((rule) => found("safe", RULES, `the rule ${show(rule)} was removed`)),
  ];
}

/** Compares a rule that has other words than before, or is about other updates. */
function compareRule(before: ValidationRule, after: ValidationRule): Finding[] {
  const about = `the rule ${oneLine(after.rule)}`;
  if ((before.optionalOldSelf ?? false) !== (after.optionalOldSelf ?? false)) {
    return after.optionalOldSelf
      ? [found("breaking", RULES, `${about} holds for new values too now`)]
      : [found("risky", RULES, `${about} holds for changes only now`)];
  }
  return sameJson(before, after) ? [] : [found("safe", RULES, `${about} answers in other words`)];
}

const oneLine = (rule: string): string => rule.replaceAll("\n", " ");

/** A rule on the change of a value lets every object that is there stay as it is. */
function newRule({ rule, optionalOldSelf }: ValidationRule): Finding {
  const transition = /\boldSelf\b/.test(rule) && optionalOldSelf !== true;
  return found(transition ? "risky" : "breaking", RULES, `there is a new rule: ${oneLine(rule)}`);
}

function compareOthers(before: Schema, after: Schema): Finding[] {
  const changes: Finding[] = [];
  for (const name of ["allOf", "anyOf", "oneOf", "not"] as const) {
    if (sameJson(before[name], after[name]) || isOwnChoice(name, before, after)) continue;
    changes.push(
      found(after[name] === undefined ? "safe" : "breaking", name, `${name} is another one now`),
    );
  }
  if (Boolean(before.nullable) !== Boolean(after.nullable)) {
    changes.push(
      found(
        after.nullable ? "safe" : "breaking",
        "nullable",
        after.nullable ? "null is taken now" : "null is no longer taken",
      ),
    );
  }
  changes.push(...compareDefaults(before, after), ...compareTopology(before, after));
  return changes;
}

/** Numbers or strings are written as a choice, too: that is no difference of its own. */
function isOwnChoice(name: keyof Schema, ...nodes: readonly Schema[]): boolean {
  return nodes.every(
    (node) =>
      node[name] === undefined ||
      (name === "anyOf" &&
        node["x-kubernetes-int-or-string"] === true &&
        sameJson(node.anyOf, [{ type: "integer" }, { type: "string" }])),
  );
}

/** A default fills in what objects leave out, those that are there as well. */
function compareDefaults(before: Schema, after: Schema): Finding[] {
  if (sameJson(before.default, after.default)) return [];
  if (before.default === undefined) {
    const message = `there was no default and it is ${show(after.default)}; objects without a value get it`;
    return [found("risky", "default", message)];
  }
  const now = after.default === undefined ? "there is none now" : `is ${show(after.default)}`;
  return [found("risky", "default", `the default was ${show(before.default)} and ${now}`)];
}

function compareTopology(before: Schema, after: Schema): Finding[] {
  const changes: Finding[] = [];
  const list = "x-kubernetes-list-type";
  const [oldList, newList] = [before[list] ?? "atomic", after[list] ?? "atomic"];
  if (oldList !== newList) {
    // Equal items become an error; the owner of a part of the list owns all of it, or the reverse.
    changes.push(
      found(
        newList === "atomic" ? "risky" : "breaking",
        list,
        `the list was ${oldList} and is ${newList}`,
      ),
    );
  }
  const keys = "x-kubernetes-list-map-keys";
  if (oldList === newList && !sameJson(before[keys], after[keys])) {
    changes.push(
      found("breaking", keys, `the keys were ${show(before[keys])} and are ${show(after[keys])}`),
    );
  }
  const map = "x-kubernetes-map-type";
  const [oldMap, newMap] = [before[map] ?? "granular", after[map] ?? "granular"];
  if (oldMap !== newMap) {
    changes.push(found("risky", map, `the object was ${oldMap} and is ${newMap}`));
  }
  const preserve = "x-kubernetes-preserve-unknown-fields";
  if (Boolean(before[preserve]) !== Boolean(after[preserve])) {
    changes.push(
      found(
        after[preserve] ? "safe" : "breaking",
        preserve,
        after[preserve] ? "unknown fields are kept now" : "unknown fields are dropped now",
      ),
    );
  }
  const embedded = "x-kubernetes-embedded-resource";
  if (after[embedded] && !before[embedded]) {
    changes.push(
      found("breaking", embedded, "the object must now be a complete Kubernetes object"),
    );
  } else if (before[embedded] && !after[embedded]) {
    const message =
      "the object need not be a whole Kubernetes object now; its metadata is unchecked";
    changes.push(found(after[preserve] ? "risky" : "breaking", embedded, message));
  }
  return changes;
}

function found(severity: Finding["severity"], keyword: string, message: string): Finding {
  return { severity, keyword, message };
}
