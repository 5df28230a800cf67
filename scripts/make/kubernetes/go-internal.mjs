/**
 * Makes src/controlplane/builtin/go/internal.data.json: the fields of the structs in which a Kubernetes
 * API server works with built-in objects. Some messages show such a struct, field by field under its Go name.
 *
 * The input is the source of k8s.io/kubernetes, k8s.io/api and k8s.io/apimachinery; only names and types of fields are taken.
 *
 * A type is a list of [Go name, name in JSON, code]; see go/internal.ts for the codes.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { linesOf, moduleFolder, root, servedVersions } from "./sources.mjs";

const kubernetes = moduleFolder("kubernetes");
const api = moduleFolder("api");
/** Groups that are served by other modules than k8s.io/kubernetes. */
const ELSEWHERE = ["apiextensions", "apiregistration"];
/** By folder of the internal package: the versioned one whose JSON it is read from, which is that of the preferred version. */
const PACKAGES = {};
for (const { folder, version } of servedVersions()) {
  if (!ELSEWHERE.includes(folder)) PACKAGES[folder] ??= `${folder}/${version}`;
}

/** The types that our sources name as text (`"[]core.Taint"`): everything inside of them comes along. */
function shownTypes() {
  const folder = `${root}src/controlplane/builtin`;
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(`${folder}/${path}`, "utf8"));
  const named = sources.flatMap((source) =>
    [...source.matchAll(/["`](?:\*|\[\])*([a-z]\w*\.[A-Z]\w+)["`]/g)].map(([, type]) => type),
  );
  return [...new Set(named)].filter((type) => types.get(type)?.fields);
}

const types = new Map();
const jsonNames = new Map();

const sourcesIn = (folder) =>
  readdirSync(folder)
    .filter((file) => /^(types|annotation_key_constants|group_version)\.go$/.test(file))
    .map((file) => readFileSync(`${folder}/${file}`, "utf8"))
    .join("\n");

for (const [name, versioned] of Object.entries(PACKAGES)) {
  const source = sourcesIn(`${kubernetes}/pkg/apis/${name}`);
  const qualify = (type) =>
    type.replace(/(?:(\w+)\.)?\b([A-Z]\w*)\b/g, (_, alias, local) =>
      alias === "api" ? `core.${local}` : `${alias ?? name}.${local}`,
    );
  for (const [, type, body] of source.matchAll(/^(?:type )?\t?(\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields = [];
    for (const line of body.split("\n")) {
      const match = /^\t(?:(\w+)\s+)?([\w[\]*.]+)(\s+`[^`]*`)?\s*(\/\/.*)?$/.exec(line);
      if (match && !match[2].startsWith("//"))
        fields.push({ name: match[1], type: qualify(match[2]) });
    }
    types.set(`${name}.${type}`, { fields });
  }
  for (const [, type, target] of source.matchAll(/^type (\w+) ((?:\[\]|map\[)?[\w[\].*]+)\s*$/gm)) {
    if (target !== "struct") types.set(`${name}.${type}`, { alias: qualify(target) });
  }
  readJsonNames(name, `${api}/${versioned}`);
}

/** Which name the fields of a versioned struct have in JSON. */
function readJsonNames(name, folder) {
  const source = sourcesIn(folder);
  for (const [, type, body] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const names = {};
    for (const [, field, json] of body.matchAll(/^\t(\w+)\s+\S+\s+`json:"([^",]+)/gm)) {
      names[field] = json;
    }
    jsonNames.set(`${name}.${type}`, names);
  }
}

/**
 * Types that are the same inside and outside of the server: what embeds or refers to them prints them as in JSON, under those
 * names, without what is empty.
 */
function readOutsideTypes(alias, folder) {
  const source = sourcesIn(folder);
  const qualify = (type) => type.replace(/(?<![.\w])([A-Z]\w*)\b/g, `${alias}.$1`);
  for (const [, type, body] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields = [];
    for (const [, of, json, rest] of body.matchAll(/^\t\w+\s+(\S+)\s+`json:"([^",]+)([^"]*)"/gm)) {
      fields.push({ name: json, json, optional: /omit/.test(rest), type: qualify(of) });
    }
    types.set(`${alias}.${type}`, { fields });
  }
  for (const [, type, target] of source.matchAll(/^type (\w+) ((?:\[\]|map\[)?[\w[\].*]+)\s*$/gm)) {
    if (target !== "struct") types.set(`${alias}.${type}`, { alias: qualify(target) });
  }
}

readOutsideTypes("metav1", `${moduleFolder("apimachinery")}/pkg/apis/meta/v1`);
for (const name of Object.keys(PACKAGES)) {
  const source = sourcesIn(`${kubernetes}/pkg/apis/${name}`);
  for (const [, alias, path] of source.matchAll(/^\t(\w+) "k8s\.io\/api\/([\w/]+)"$/gm)) {
    readOutsideTypes(alias, `${api}/${path}`);
  }
}

const NUMBER = /^(u?int(8|16|32|64)?|float(32|64))$/;

/** `text`, `number`, `bool`, `tree` (printed as it is in JSON), `quantity`, `time`, `intOrString` or a struct. */
function leafOf(type) {
  if (type === "string" || /^types\.(UID|NodeName)$/.test(type)) return "text";
  if (type === "bool") return "bool";
  if (NUMBER.test(type)) return "number";
  if (type === "resource.Quantity") return "quantity";
  if (/^metav1\.(Time|MicroTime)$/.test(type)) return "time";
  if (type === "intstr.IntOrString") return "intOrString";
  if (type.startsWith("runtime.") || type === "metav1.FieldsV1") return "tree";
  return undefined;
}

function codeOf(type) {
  if (type === "[]byte") return "bytes";
  if (type.startsWith("*")) return `*${codeOf(type.slice(1)).replace(/^\*/, "")}`;
  if (type.startsWith("[]")) return `[]${codeOf(type.slice(2))}`;
  const map = /^map\[[^\]]*\](.*)$/.exec(type);
  if (map) return `{}${codeOf(map[1])}`;
  const leaf = leafOf(type);
  if (leaf) return leaf;
  const known = types.get(type);
  if (known?.alias) return codeOf(known.alias);
  if (!known) throw new Error(`no type ${type}`);
  visit(type);
  return type;
}

const table = {};

/** Embedded structs print their fields as their own. */
function fieldsOf(type, jsonOwner = type) {
  return types.get(type).fields.flatMap(({ name, type: of, json: own, optional }) => {
    if (own !== undefined) return [[name, own, `${optional ? "?" : ""}${codeOf(of)}`]];
    if (name === undefined) {
      if (of === "metav1.TypeMeta") return [];
      if (of === "metav1.ObjectMeta") return [["", "metadata", codeOf(of)]];
      return fieldsOf(of);
    }
    const json = jsonNames.get(jsonOwner)?.[name] ?? name.charAt(0).toLowerCase() + name.slice(1);
    return [[name, json, codeOf(of)]];
  });
}

function visit(type) {
  if (table[type]) return;
  table[type] = [];
  table[type].push(...fieldsOf(type));
}

for (const type of shownTypes()) visit(type);
writeFileSync(`${root}src/controlplane/builtin/go/internal.data.json`, `{\n${linesOf(table)}\n}\n`);
console.log(`${Object.keys(table).length} internal types`);
