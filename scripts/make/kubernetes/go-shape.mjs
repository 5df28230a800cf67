/**
 * Makes src/controlplane/builtin/go/shape.data.json: which fields of the built-in kinds an
 * API server written in Go prints although they are empty, and which it drops when they are. And
 * src/controlplane/builtin/go-field-types.data.json: the Go types of fields that are strings, numbers, lists or maps under
 * a name of their own, and the names of embedded structs, as messages about wrong types name them.
 *
 * The input is the source of k8s.io/api, k8s.io/apimachinery, k8s.io/apiextensions-apiserver and
 * k8s.io/kube-aggregator; only names and types of fields are taken.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linesOf, moduleFolder, root, servedVersions } from "./sources.mjs";

/** By the name in the table: the import path without `k8s.io/`. */
const PACKAGES = {
  meta: "apimachinery/pkg/apis/meta/v1",
  "apiextensions.k8s.io/v1": "apiextensions-apiserver/pkg/apis/apiextensions/v1",
  "apiregistration.k8s.io/v1": "kube-aggregator/pkg/apis/apiregistration/v1",
};
const VERSIONS = servedVersions();
for (const { name, folder, version } of VERSIONS) PACKAGES[name] ??= `api/${folder}/${version}`;
const packageOfImport = (path) => {
  for (const [name, folder] of Object.entries(PACKAGES)) {
    if (`k8s.io/${folder}` === path) return name;
  }
  return undefined;
};

/** Every type of every package: `{fields}` for a struct, `{alias}` for a named type. */
const types = new Map();
for (const [name, folder] of Object.entries(PACKAGES)) {
  const [module, ...inner] = folder.split("/");
  const files = join(moduleFolder(module), ...inner);
  for (const file of readdirSync(files)) {
    if (!file.endsWith(".go") || /_test\.go$|^zz_|generated|doc\.go|register/.test(file)) continue;
    readTypes(name, readFileSync(join(files, file), "utf8"));
  }
}

function readTypes(packageName, source) {
  const imports = {};
  for (const [, alias, path] of source.matchAll(/^\s*(?:import\s+)?(\w+)?\s*"([^"]+)"$/gm)) {
    imports[alias ?? path.split("/").at(-1)] = packageOfImport(path) ?? path;
  }
  const resolve = (type) =>
    type.replace(/^((?:\*|\[\]|map\[[^\]]*\])*)(?:(\w+)\.)?(\w+)$/, (_, prefix, alias, local) => {
      if (alias) return `${prefix}${imports[alias] ?? alias}.${local}`;
      return /^[A-Z]/.test(local) ? `${prefix}${packageName}.${local}` : prefix + local;
    });
  for (const [, name, body] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields = [];
    for (const line of body.split("\n")) {
      const match = /^\t(?:(\w+)\s+)?([\w[\]*.]+)\s+`json:"([^",]*)([^"]*)"/.exec(line);
      if (match) {
        fields.push({ type: resolve(match[2]), json: match[3], options: match[4].split(",") });
      }
    }
    types.set(`${packageName}.${name}`, { fields });
  }
  for (const [, name, target] of source.matchAll(/^type (\w+) ((?:\[\]|map\[)?[\w[\].*]+)\s*$/gm)) {
    if (target !== "struct") types.set(`${packageName}.${name}`, { alias: resolve(target) });
  }
}

const NUMBER = /^(u?int(8|16|32|64)?|float(32|64))$/;
const SPECIAL = {
  "k8s.io/apimachinery/pkg/api/resource.Quantity": "quantity",
  "meta.Time": "time",
  "meta.MicroTime": "microTime",
  "meta.Duration": "opaque",
  "meta.FieldsV1": "opaque",
  "k8s.io/apimachinery/pkg/util/intstr.IntOrString": "intOrString",
  "k8s.io/apimachinery/pkg/runtime.RawExtension": "opaque",
  "apiextensions.k8s.io/v1.JSONSchemaProps": "opaque",
  "apiextensions.k8s.io/v1.JSON": "opaque",
};

/**
 * The class of a type, with named types followed: scalar, list, map, struct or one of the special
 * ones.
 */
function classify(type) {
  if (type.startsWith("*")) return { pointer: true, ...classify(type.slice(1)) };
  if (SPECIAL[type]) return { what: SPECIAL[type] };
  if (type === "[]byte") return { what: "bytes" };
  if (type.startsWith("[]")) return { what: "list", of: classify(type.slice(2)) };
  const map = /^map\[[^\]]*\](.*)$/.exec(type);
  if (map) return { what: "map", of: classify(map[1]) };
  if (type === "string" || /^k8s\.io\/apimachinery\/pkg\/types\.(UID|NodeName)$/.test(type))
    return { what: "text" };
  if (type === "bool") return { what: "bool" };
  if (NUMBER.test(type)) return { what: "number" };
  const known = types.get(type);
  if (known?.alias) return classify(known.alias);
  if (known) return { what: "struct", name: type };
  return { what: "opaque" };
}

const table = {};
const visited = new Set();

function elementCode(of) {
  if (of.what === "struct") return of.name;
  if (of.what === "quantity") return "quantity";
  if (of.what === "time" || of.what === "microTime") return of.what;
  if (of.what === "list" && of.of.what === "struct") return elementCode(of.of);
  return "";
}

const SCHEMA = "apiextensions.k8s.io/v1.JSONSchemaProps";

/** The code of a field whose shape stays as it is: only the order of the keys in it is known. */
function orderCode(type) {
  const followed = types.get(type)?.alias ?? type;
  const named = followed.replace(/^(\*|\[\]|map\[[^\]]*\])+/, "");
  const name = named.startsWith(SCHEMA) ? SCHEMA : named;
  if (!types.get(name)?.fields || (SPECIAL[name] && name !== SCHEMA)) return "~";
  visit(name);
  return `~${followed.startsWith("map[") ? "{}" : ""}${name}`;
}

/** One code for a field, or undefined when nothing is special about it; see go/shape.ts. */
function codeOf(field, owner) {
  // Ownership of fields is kept by a part of its own, which has to see what a client wrote.
  if (field.json === "managedFields") return undefined;
  const is = classify(field.type);
  if (is.pointer) {
    if (is.what === "struct") return `*${is.name}`;
    if (["quantity", "time", "microTime"].includes(is.what)) return `*${is.what}`;
    // The others without `omitempty` are required, or have defaults.
    const isNullable = field.json === "apiGroup" || field.json === "secretNamespace";
    return isNullable && field.options.join("") === "" ? "null" : undefined;
  }
  const optional = field.options.includes("omitempty") || field.options.includes("omitzero");
  switch (is.what) {
    case "text":
      return optional ? "?" : "text";
    case "bytes":
      return optional ? "?" : "null";
    case "bool":
      return optional ? "?" : "bool";
    case "number":
      return optional ? "?" : "number";
    case "list":
    case "map": {
      const element = elementCode(is.of);
      const sign = is.what === "list" ? "[]" : "{}";
      const code = `${optional ? "?" : ""}${sign}${element}`;
      return /^(node|resource)\.k8s\.io/.test(owner) ? code.replace("quantity", "exact") : code;
    }
    case "struct":
      return `${field.options.includes("omitzero") ? "?" : "!"}${is.name}`;
    case "quantity":
      return field.options.includes("omitzero") ? "*quantity" : "quantity";
    case "time":
    case "microTime":
      return field.options.includes("omitzero") ? `*${is.what}` : is.what;
    default:
      return undefined;
  }
}

function fieldsOf(name) {
  return types.get(name).fields.flatMap((field) => {
    if (field.json === "") {
      const embedded = types.get(field.type.replace(/^\*/, ""));
      if (field.type === "meta.TypeMeta" || !embedded?.fields) return [];
      return fieldsOf(field.type.replace(/^\*/, ""));
    }
    return [field];
  });
}

/** Metadata of a template: nobody keeps the owners of its fields. */
const TEMPLATE_META = "meta.ObjectMeta of a template";

function visit(name) {
  if (visited.has(name) || !types.get(name)?.fields) return;
  visited.add(name);
  const entry = {};
  const isKind = types.get(name).fields.some(({ type }) => type === "meta.TypeMeta");
  for (const field of fieldsOf(name)) {
    const code = name.startsWith(SCHEMA) ? undefined : codeOf(field, name);
    const isTemplateMeta = field.type === "meta.ObjectMeta" && !isKind;
    entry[field.json] = isTemplateMeta ? `!${TEMPLATE_META}` : (code ?? orderCode(field.type));
    const type = field.type.replace(/^(\*|\[\]|map\[[^\]]*\])+/, "");
    let is = classify(type);
    while (is.of) is = is.of;
    if (is.what === "struct") visit(is.name);
  }
  table[name] = entry;
}

for (const [name, type] of types) {
  if (name.startsWith("meta.") || name.endsWith("List")) continue;
  if (type.fields?.some(({ json }) => json === "metadata")) visit(name);
}
table[TEMPLATE_META] = {
  ...table["meta.ObjectMeta"],
  managedFields: "?[]meta.ManagedFieldsEntry",
};
writeFileSync(`${root}src/controlplane/builtin/go/shape.data.json`, `{\n${linesOf(table)}\n}\n`);
console.log(`${Object.keys(table).length} shapes`);

// ---- named types

/** The folder of a definition's name in OpenAPI. */
const DEFINITIONS = {
  meta: "io.k8s.apimachinery.pkg.apis.meta.v1",
  "apiextensions.k8s.io/v1": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
  "apiregistration.k8s.io/v1": "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
};
for (const { name, folder, version } of VERSIONS) {
  DEFINITIONS[name] ??= `io.k8s.api.${folder}.${version}`;
}

/** `[]v1.Protocol` for a type with a name of its own that is no struct; undefined for the others. */
function printedType(type) {
  const plain = type.replace(/^\*/, "");
  const [, prefix = "", name = ""] = /^((?:\*|\[\]|map\[[^\]]*\])*)(.*)$/.exec(plain) ?? [];
  const isNamed = types.get(name)?.alias !== undefined || /\/types\.(UID|NodeName)$/.test(name);
  if (!isNamed || SPECIAL[name]) return undefined;
  const owner = name.startsWith("meta.")
    ? "v1"
    : name
        .replace(/\.\w+$/, "")
        .split("/")
        .at(-1);
  return `${prefix}${owner}.${name.split(".").at(-1)}`;
}

/** Fields of embedded structs with the names that lead to them: `["secret", "VolumeSource"]`. */
function embeddedIn(type) {
  return types.get(type).fields.flatMap((field) => {
    const inner = field.type.replace(/^\*/, "");
    if (field.json !== "" || inner === "meta.TypeMeta") return [];
    if (!types.get(inner)?.fields) return [];
    const name = inner.split(".").at(-1);
    const deeper = new Map(embeddedIn(inner));
    return fieldsOf(inner).map(({ json }) => [
      json,
      deeper.has(json) ? `${name}.${deeper.get(json)}` : name,
    ]);
  });
}

const named = {};
for (const [type, { fields }] of types) {
  const [owner, short] = [type.replace(/\.\w+$/, ""), type.split(".").at(-1)];
  const entry = {};
  for (const field of fields ? fieldsOf(type) : []) {
    const printed = printedType(field.type);
    if (printed !== undefined) entry[field.json] = printed;
  }
  for (const [json, path] of fields ? embeddedIn(type) : []) entry[`.${json}`] = path;
  if (Object.keys(entry).length > 0) named[`${DEFINITIONS[owner]}.${short}`] = entry;
}
writeFileSync(
  `${root}src/controlplane/builtin/go-field-types.data.json`,
  `{\n${linesOf(named)}\n}\n`,
);
console.log(`${Object.keys(named).length} types with fields of named types`);
