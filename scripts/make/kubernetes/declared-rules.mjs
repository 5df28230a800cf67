/**
 * Makes src/controlplane/builtin/strategies/declared-rules.data.json: the fields of the built-in kinds whose errors come from rules that
 * the source declares (`+k8s:required`), in the order in which an API server written in Go checks them. Such errors follow
 * those of the code that is written by hand, in words of their own.
 *
 * The input is the code that Kubernetes generates from the rules; rules that are not enforced yet (`alpha`) are left out.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linesOf, moduleFolder, root } from "./sources.mjs";

const GENERATED = "zz_generated.validations.go";
/** What a rule says of its field, by the name of its function: the reason of its error, or a kind of message. */
const RULES = [
  [/^Required/, "required"],
  [/^Immutable$/, "immutable"],
  [/^(MaxItems|MaxProperties)$/, "FieldValueTooMany"],
  [/^MaxLength$/, "characters"],
  [/^MaxBytes$/, "FieldValueTooLong"],
  [/^Enum$/, "FieldValueNotSupported"],
  [/Unique$/, "FieldValueDuplicate"],
  [/^(Minimum|Maximum)$/, "bound"],
  [/^(ShortName|LongName|LongNameCaseless|LabelKey|UUID|ResourceFullyQualifiedName)$/, "format"],
];

const functions = new Map();
const meta = join(moduleFolder("apimachinery"), "pkg/apis/meta/v1/validation", GENERATED);
// Before 1.37 there were no rules for the metadata.
if (existsSync(meta)) readFunctions("validation", readFileSync(meta, "utf8"));

const groups = JSON.parse(
  readFileSync(`${root}src/controlplane/builtin/resources.data.json`, "utf8"),
);
const table = {};
for (const { name, versions } of groups) {
  for (const { version, resources } of versions) {
    const folder = name === "" ? "core" : name.split(".")[0];
    const file = join(moduleFolder("kubernetes"), "pkg/apis", folder, version, GENERATED);
    if (!existsSync(file)) continue;
    const source = readFileSync(file, "utf8");
    const scope = `${name}/${version}`;
    readFunctions(scope, source);
    for (const { kind } of resources) {
      const rules = {};
      addRules(rules, scope, `Validate_${kind}`, "", []);
      // All versions of a kind have the same rules; the preferred version comes first.
      if (Object.keys(rules).length > 0) table[`${name}/${kind}`] ??= rules;
    }
  }
}
writeFileSync(
  `${root}src/controlplane/builtin/strategies/declared-rules.data.json`,
  `{\n${linesOf(table)}\n}\n`,
);
console.log(`${Object.keys(table).length} kinds with declared rules`);

/** The fields that a function checks, each with its rules and the functions of its type. */
function readFunctions(scope, source) {
  for (const [, name, body] of source.matchAll(/^func (Validate_\w+)\(\n([\s\S]*?)^\}/gm)) {
    const fields = [];
    for (const [, block] of body.matchAll(/^\t\{ \/\/ field [^\n]*\n([\s\S]*?)^\t\}/gm)) {
      const json = /fn\(fldPath(?:\.Child\("([^"]+)"\))?/.exec(block)?.[1];
      fields.push({ json, ...readBlock(scope, block) });
    }
    const rest = body.replace(/^\t\{ \/\/ field [^\n]*\n[\s\S]*?^\t\}/gm, "");
    functions.set(`${scope} ${name}`, [{ json: undefined, ...readBlock(scope, rest) }, ...fields]);
  }
}

/** The enforced rules in a part of a function, in order, and the functions that it calls. */
function readBlock(scope, text) {
  const rules = [];
  const calls = [];
  for (const [statement] of text.matchAll(
    /if e := validate\.[\s\S]*?; len\(e\) != 0|errs = append\(errs, (?:\w+\.)?Validate_\w+/g,
  )) {
    if (statement.includes(".MarkAlpha()")) continue;
    const isItem = /validate\.Each/.test(statement);
    const called = /(?:(\w+)\.)?(Validate_\w+)/.exec(statement);
    if (called) {
      calls.push({ name: `${called[1] === undefined ? scope : called[1]} ${called[2]}`, isItem });
      continue;
    }
    const member = /validate\.Discriminated\([^"]*"([^"]+)"/.exec(statement)?.[1];
    if (member !== undefined) {
      rules.push(
        { rule: "forbidden", below: `.${member}` },
        { rule: "required", below: `.${member}` },
      );
      continue;
    }
    const validators = [...statement.matchAll(/validate\.(\w+)/g)].map(([, one]) => one);
    const rule = RULES.find(([pattern]) => validators.some((one) => pattern.test(one)))?.[1];
    if (rule === undefined) continue;
    const within = /validate\.Subfield\([^"]*"([^"]+)"/.exec(statement)?.[1];
    rules.push({ rule, below: `${isItem ? "[]" : ""}${within === undefined ? "" : `.${within}`}` });
  }
  return { rules, calls };
}

/** Adds the rules of a function at a path; `above` are the functions that led to it. */
function addRules(table, scope, name, path, above) {
  const own = name.includes(" ") ? name : `${scope} ${name}`;
  // A type that holds itself has its rules at the first level.
  if (above.includes(own)) return;
  for (const { json, rules, calls } of functions.get(own) ?? []) {
    const at = json === undefined ? path : path === "" ? json : `${path}.${json}`;
    for (const { rule, below } of rules) {
      const field = at + below;
      table[field] = [...new Set([...(table[field] ?? []), rule])];
    }
    for (const call of calls) {
      addRules(table, scope, call.name, call.isItem ? `${at}[]` : at, [...above, own]);
    }
  }
}
