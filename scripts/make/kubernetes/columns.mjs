/**
 * Makes src/controlplane/builtin/tables/columns.data.json: the columns of the tables that `kubectl get` shows, by group and kind,
 * each as [name, type, format, priority, description]. A kind without an entry has the columns of "". Most kinds describe some
 * columns by the same fields of the metadata: their descriptions are entries of their own (".name").
 *
 * The input is the code that prints tables, in k8s.io/kubernetes and the modules that serve other groups, and the texts about
 * fields that Kubernetes generates from its API types (`SwaggerDoc`).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { linesOf, moduleFolder, root } from "./sources.mjs";

const PRINTERS = "kubernetes/pkg/printers/internalversion/printers.go";
/** Files with the columns of one kind each. */
const OTHERS = {
  "": "apiserver/pkg/registry/rest/table.go",
  "apiextensions.k8s.io/CustomResourceDefinition":
    "apiextensions-apiserver/pkg/registry/customresourcedefinition/tableconvertor/tableconvertor.go",
  "apiregistration.k8s.io/APIService": "kube-aggregator/pkg/registry/apiservice/etcd/etcd.go",
};
const BUILTIN = `${root}src/controlplane/builtin`;

const printers = read(PRINTERS);
/** The packages of Kubernetes by their name in the source. */
const packages = new Map(
  [...printers.matchAll(/^\t(?:(\w+) )?"k8s\.io\/(.*?(\w+))"$/gm)].map(([, name, path, last]) => [
    name ?? last,
    path,
  ]),
);
const table = {};
const printed = columnsByType();
for (const [kind, file] of Object.entries(OTHERS)) {
  const [, lines] = /\[\]metav1\.TableColumnDefinition\{\n([\s\S]*?)^\t+\}/m.exec(read(file));
  table[kind] = columnsOf(lines);
}
for (const { name: group, versions } of JSON.parse(
  readFileSync(`${BUILTIN}/resources.data.json`, "utf8"),
)) {
  // Inside of the server, all events are those of the core group.
  const folder = group === "" || group === "events.k8s.io" ? "core" : group.split(".")[0];
  const resources = versions.flatMap((version) => version.resources);
  for (const { kind } of resources) {
    const columns = printed.get(`kubernetes/pkg/apis/${folder}.${kind}`);
    if (columns) table[`${group}/${kind}`] = columns;
  }
}
table["autoscaling/Scale"] = printed.get("kubernetes/pkg/apis/autoscaling.Scale");
writeFileSync(`${BUILTIN}/tables/columns.data.json`, `{\n${linesOf(table)}\n}\n`);
console.log(`${Object.keys(table).length} tables`);

function read(path) {
  const [name, ...rest] = path.split("/");
  return readFileSync(`${moduleFolder(name)}/${rest.join("/")}`, "utf8");
}

/** The columns by internal type (`kubernetes/pkg/apis/core.Pod`): lists of columns are variables, which a printing function takes. */
function columnsByType() {
  const lists = new Map();
  const assigned =
    /^\t(\w+) :?= (?:append\(\w+, )?\[\]metav1\.TableColumnDefinition\{\n([\s\S]*?)^\t\}/gm;
  for (const [, list, lines] of printers.matchAll(assigned)) {
    lists.set(list, [...(lists.get(list) ?? []), ...columnsOf(lines)]);
  }
  const types = new Map(
    [...printers.matchAll(/^func (\w+)\(\w+ \*(\w+)\.(\w+),/gm)].map(([, name, folder, kind]) => [
      name,
      `${packages.get(folder)}.${kind}`,
    ]),
  );
  const handlers = printers.matchAll(/h\.TableHandler\((\w+), (\w+)\)/g);
  return new Map([...handlers].map(([, list, name]) => [types.get(name), lists.get(list)]));
}

function columnsOf(lines) {
  return [...lines.matchAll(/\{(Name: .*)\},$/gm)].map(([, column]) => {
    const textOf = (name) => new RegExp(`\\b${name}: "([^"]*)"`).exec(column)?.[1] ?? "";
    const priority = Number(/\bPriority: (\d)/.exec(column)?.[1] ?? 0);
    return [textOf("Name"), textOf("Type"), textOf("Format"), priority, descriptionIn(column)];
  });
}

/** The description in a column: a text, or that of a field, whose type may be that of another field. */
function descriptionIn(column) {
  const [, text] = /Description: "(.*)"$/.exec(column) ?? [];
  if (text !== undefined) return text;
  const [, field] = /\["(\w*)"\]$/.exec(column);
  // Some files give the texts about metadata a name of their own.
  const [, name = "metav1", type = "ObjectMeta", member] =
    /Description: (\w+)\.(\w+)\{\}(?:\.(\w+))?\.SwaggerDoc\(\)/.exec(column) ?? [];
  const folder = packages.get(name);
  const owner = member === undefined ? type : typeOf(folder, type, member);
  const found = documentationOf(folder, owner, field);
  if (owner !== "ObjectMeta" || found === "") return found;
  table[`.${field}`] = found;
  return `.${field}`;
}

function typeOf(folder, type, field) {
  const [, body] = new RegExp(`^type ${type} struct \\{\\n([\\s\\S]*?)^\\}`, "m").exec(
    read(`${folder}/types.go`),
  );
  return new RegExp(`^\\t${field}\\s+(\\w+)`, "m").exec(body)[1];
}

/** The text about a field of an API type; empty where it has no such field. */
function documentationOf(folder, type, field) {
  const source = read(`${folder}/types_swagger_doc_generated.go`);
  const [, body] = new RegExp(`^var map_${type} = [^\\n]*\\n([\\s\\S]*?)^\\}`, "m").exec(source);
  const text = new RegExp(`^\\t"${field}": +(".*"),$`, "m").exec(body)?.[1];
  return text === undefined ? "" : JSON.parse(text);
}
