/**
 * Fixes for a rule in CEL that the API server refuses: the name that was meant, the word of CEL for
 * a word of JavaScript, the bounds that make it cheap.
 */
import { kubernetesEnvironment } from "../../kube/cel/libraries.ts";
import type { TypeModel } from "../model.ts";
import { didYouMean } from "../../kube/text/nearest-name.ts";
import { tableOf } from "../../table.ts";

/** The fix for an error in a rule on a type. */
export function ruleFix(message: string, type: TypeModel): string {
  for (const [pattern, fix] of FIXES) {
    const match = pattern.exec(message);
    if (match) return fix(match, type);
  }
  return MANUAL;
}

type Fix = (match: RegExpExecArray, type: TypeModel) => string;

const MANUAL =
  "Fix the rule; see https://kubernetes.io/docs/reference/using-api/cel/ for the available functions.";

/** Words of other languages, and their counterparts in CEL. */
const WORDS = tableOf<string>({
  and: "Write && in place of and.",
  or: "Write || in place of or.",
  not: "Write ! in place of not.",
  this: "The value is called self.",
  value: "The value is called self.",
  object: "The value is called self.",
  old: "The value before an update is called oldSelf.",
  oldObject: "The value before an update is called oldSelf.",
  undefined: "Check with has(self.field) whether a field is set.",
  nil: "Check with has(self.field) whether a field is set.",
  None: "Check with has(self.field) whether a field is set.",
  length: "Write size() in place of length.",
  len: "Write size() in place of len.",
  lenght: "Write size() in place of length.",
  count: "Write size() in place of count.",
  includes: "Use contains() for a string, or `value in list`.",
  every: "Write all() in place of every().",
  some: "Write exists() in place of some().",
  any: "Write exists() in place of any().",
  toLowerCase: "Write lowerAscii() in place of toLowerCase().",
  toUpperCase: "Write upperAscii() in place of toUpperCase().",
  test: "Write text.matches(pattern).",
  match: "Write text.matches(pattern).",
  now: "A rule cannot read the present time: compare with a field.",
});

const FIXES: readonly (readonly [pattern: RegExp, fix: Fix])[] = [
  [/undefined field '([^']+)'/, ([, name = ""], type) => fieldFix(name, type)],
  [/undeclared reference to '([^']+)'/, ([, name = ""]) => nameFix(name)],
  [/mismatched input '(and|or|not)'/, ([, name = ""]) => nameFix(name)],
  [
    /optional_type\(/,
    () => "With optionalOldSelf, write oldSelf.orValue(self), or ask oldSelf.hasValue() first.",
  ],
  [
    /'_[!=]=_' applied to '\((?:null|.*, null)/,
    () => "Check with has(self.field) whether a field is set.",
  ],
  [
    /overload for '@in'/,
    () => "`in` looks up an item of a list or a key of a map. For a substring, use contains().",
  ],
  [
    /overload for '([!-])_' applied to '\((\w+)\)'/,
    ([, sign = "", given = ""]) =>
      `${sign} is for a ${sign === "!" ? "bool" : "number"}, and this is a ${given}.`,
  ],
  [
    /overload for '_(\S+)_' applied to '\(([^,]+), ([^)]+)\)'/,
    ([, , left = "", right = ""]) =>
      `One side is ${left} and the other ${right}: convert one with ${converters(left, right)}.`,
  ],
  [
    /overload for '([a-zA-Z.]+)' applied to '([^']+)'/,
    ([, name = "", given = ""]) => overloadFix(name, given),
  ],
  [
    /expected type 'bool' but found '(\w+)'/,
    ([, found = ""]) => `Make a condition of the ${found}, such as a comparison.`,
  ],
  [/must evaluate to a bool/, () => "Make a condition of it: compare the value with something."],
  [/must evaluate to a string/, () => "Convert it with string(...)."],
  [
    /type '(\w+)' does not support field selection/,
    ([, found = ""]) =>
      found === "string" || found === "list"
        ? `A ${found} has no fields. For its length, use size().`
        : `A value of type ${found} has no fields. Compare the value itself.`,
  ],
  [
    /token recognition error at: '=([<>])/,
    ([, sign = ""]) => `Write ${sign}= in place of =${sign}.`,
  ],
  [/token recognition error at: '=/, () => "Use == to compare. CEL has no assignment."],
  [/token recognition error at: '(["'])/, () => "Close the text with the quote that opens it."],
  [
    /mismatched input '<EOF>'|missing '.' at|extraneous input/,
    () => "Look for a bracket that is not closed, or an operator without its other side.",
  ],
  [
    /invalid matches argument/,
    () => "Write the pattern in RE2's syntax: https://github.com/google/re2/wiki/Syntax.",
  ],
  [/invalid duration argument/, () => 'Write the duration as "1h30m".'],
  [/invalid timestamp argument/, () => 'Write the time as "2026-01-31T12:00:00Z".'],
  [/invalid argument to has\(\)/, () => "Give has() a field: has(self.field)."],
  [/must be a simple name/, () => "Begin with a name for the item: list.all(item, item > 0)."],
  [
    /may not be set if oldSelf is not used/,
    () => "Use oldSelf in the rule, or remove optionalOldSelf.",
  ],
  [
    /oldSelf cannot be used on the uncorrelatable/,
    () =>
      "Put the rule on the list, or make the list a map with @ListMap(key)so that its items can be matched between old and new.",
  ],
  [
    /Invalid value: "\.?([^"]*)": must be a valid path/,
    ([, given = ""], type) =>
      didYouMean(
        given,
        namesIn(type),
        `Name a field below this one, such as .${namesIn(type)[0] ?? "field"}.`,
      ),
  ],
  [
    /Unsupported value: "([^"]*)": supported values: (.*)$/,
    ([, given = "", names = ""]) =>
      didYouMean(
        given,
        names.split(", ").map((name) => name.replaceAll('"', "")),
        `Use one of ${names}.`,
      ),
  ],
  [
    /message must be specified/,
    () => 'Add a message, { message: "..." }, or write the rule on one line.',
  ],
  [/rule is not specified/, () => "Write a condition, such as \"self != ''\"."],
  [/recursion/, () => "Split the rule in two."],
  [
    /budget|cost/,
    () =>
      "Put @MaxItems, @MaxProperties and @MaxLength on the lists, records and strings that the rule goes through.",
  ],
];

function fieldFix(name: string, type: TypeModel): string {
  if (name === "metadata" || name === "kind" || name === "apiVersion") {
    return `self is the value that the rule is on; put the rule on the class of the kind to see ${name}.`;
  }
  const names = namesIn(type);
  const known = names.length > 0 ? `There is ${names.slice(0, 8).join(", ")}.` : MANUAL;
  return didYouMean(name, names, known);
}

/** The fields that a rule on a type can reach, the nearest first. */
function namesIn(type: TypeModel): string[] {
  const names = new Set<string>();
  let nodes: readonly TypeModel[] = [type];
  for (let depth = 0; depth < 6 && nodes.length > 0; depth++) {
    nodes = nodes.flatMap(({ properties = [], items, values }) => {
      for (const { name } of properties) names.add(name);
      return [
        ...properties.map((property) => property.type),
        ...(items ? [items] : []),
        ...(values ? [values] : []),
      ];
    });
  }
  return [...names];
}

function nameFix(name: string): string {
  const names = ["self", "oldSelf", ...kubernetesEnvironment.names];
  return WORDS.get(name) ?? didYouMean(name, names, MANUAL);
}

const CONVERTERS = new Set(["int", "uint", "double", "string", "bool", "bytes"]);

function converters(left: string, right: string): string {
  const known = [left, right].filter((type) => CONVERTERS.has(type)).map((type) => `${type}(...)`);
  return known.length > 0 ? known.join(" or ") : "a function of CEL";
}

/** The fix for a function that was called with other arguments: its signatures. */
function overloadFix(name: string, given: string): string {
  const found = kubernetesEnvironment.findFunction(name);
  const asMember = given.includes(".(");
  const overloads = found?.overloads.filter(({ member }) => member === asMember) ?? [];
  const forms = (overloads.length > 0 ? overloads : (found?.overloads ?? [])).map(
    ({ member, args }) => {
      const names = args.map(({ name: type }) => type);
      return member
        ? `${names[0] ?? ""}.${name}(${names.slice(1).join(", ")})`
        : `${name}(${names.join(", ")})`;
    },
  );
  const all = [...new Set(forms)].slice(0, 3);
  return all.length > 0 ? `It is called as ${all.join(" or ")}, not ${given}.` : MANUAL;
}
