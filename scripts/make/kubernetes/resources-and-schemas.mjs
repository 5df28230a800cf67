// Makes src/controlplane/builtin/*.data.json: the built-in resources and their schemas.
//
// Read in k8s.io/kubernetes: api/discovery (which resources there are), api/openapi-spec/v3 (their schemas) and
// pkg/generated/openapi (the enums, which the stored documents lack). Facts are kept, texts are not.
//
// Only what a server with default flags serves is kept: versions that are generally available.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { moduleFolder, root } from "./sources.mjs";

const source = moduleFolder("kubernetes");
const read = (...path) => readFileSync(join(source, ...path), "utf8");
const readJson = (...path) => JSON.parse(read(...path));
const isServed = (version) => /^v\d+$/.test(version);
const target = (name) => `${root}src/controlplane/builtin/${name}.data.json`;

/** One line for each entry keeps the differences between versions readable. */
const lines = (entries) => entries.map((entry) => `  ${entry}`).join(",\n");

// ---- resources

function resourcesOf(file) {
  const resources = new Map();
  const entries = readJson("api/discovery", file).resources;
  for (const entry of entries.filter(({ name }) => !name.includes("/"))) {
    const { name, kind, singularName, namespaced, verbs, shortNames, categories } = entry;
    const { storageVersionHash } = entry;
    resources.set(name, {
      plural: name,
      kind,
      singular: singularName,
      namespaced,
      verbs,
      ...(shortNames && { shortNames }),
      ...(categories && { categories }),
      ...(storageVersionHash && { storageVersionHash }),
    });
  }
  for (const entry of entries.filter(({ name }) => name.includes("/"))) {
    const [parent, ...rest] = entry.name.split("/");
    const { group, version, kind, verbs } = entry;
    const subresource = {
      name: rest.join("/"),
      kind,
      ...(version && { group: group ?? "", version }),
      verbs,
    };
    const resource = resources.get(parent);
    if (!resource) throw new Error(`${entry.name} has no parent`);
    (resource.subresources ??= []).push(subresource);
  }
  return [...resources.values()];
}

const groups = [
  { name: "", versions: [{ version: "v1", resources: resourcesOf("api__v1.json") }] },
];
for (const { name, versions } of readJson("api/discovery/apis.json").groups) {
  const served = versions.filter(({ version }) => isServed(version));
  if (served.length === 0) continue;
  groups.push({
    name,
    versions: served.map(({ version }) => ({
      version,
      resources: resourcesOf(`apis__${name}__${version}.json`),
    })),
  });
}

const groupText = ({ name, versions }) =>
  `{"name":${JSON.stringify(name)},"versions":[${versions
    .map(
      ({ version, resources }) =>
        `{"version":${JSON.stringify(version)},"resources":[\n${lines(resources.map((resource) => JSON.stringify(resource)))}]}`,
    )
    .join(",")}]}`;
writeFileSync(target("resources"), `[\n${groups.map(groupText).join(",\n")}\n]\n`);

// ---- definitions

/** The schema without its texts; a property may be called `description`. */
function withoutTexts(node, isPropertyMap = false) {
  if (Array.isArray(node)) return node.map((item) => withoutTexts(item));
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => isPropertyMap || key !== "description")
      .map(([key, value]) => [key, withoutTexts(value, key === "properties" && !isPropertyMap)]),
  );
}

/** Documents of versions that are served, and those of groups and of the paths outside of groups. */
function isKept(file) {
  const version = /^apis?__(?:.*__)?(v\d[0-9a-z]*)_openapi\.json$/.exec(file)?.[1];
  return version === undefined ? !file.includes("__v") : isServed(version);
}

const definitions = new Map();
for (const file of readdirSync(join(source, "api/openapi-spec/v3"))) {
  if (!isKept(file)) continue;
  const { components } = readJson("api/openapi-spec/v3", file);
  for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
    definitions.set(name, withoutTexts(schema));
  }
}

// These are of every group: version 3 has a short list for each document, version 2 the whole. The
// documents of custom resources have the groups that are in the server's main scheme.
const ELSEWHERE = new Set([
  "admission.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "imagepolicy.k8s.io",
]);
const swagger = readJson("api/openapi-spec/swagger.json").definitions;
for (const name of ["DeleteOptions", "WatchEvent"]) {
  const full = `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`;
  definitions.get(full)["x-kubernetes-group-version-kind"] = swagger[full][
    "x-kubernetes-group-version-kind"
  ].filter(({ group }) => !ELSEWHERE.has(group));
}

/** Reads `Enum: []interface{}{...}` of the generated Go code: which property of which type has it. */
function addEnums() {
  let definition;
  let property;
  let added = 0;
  for (const line of read("pkg/generated/openapi/zz_generated.openapi.go").split("\n")) {
    const start = /^func schema_(k8sio_api|pkg_apis)_(\w+?)_(v\d\w*?)_(\w+)\(/.exec(line);
    if (start) {
      const [, kind, group, version, type] = start;
      const root = kind === "k8sio_api" ? "io.k8s.api" : "io.k8s.apiextensions-apiserver.pkg.apis";
      definition = definitions.get(`${root}.${group}.${version}.${type}`);
      continue;
    }
    if (line.startsWith("func ")) definition = undefined;
    const name = /^\t{5}"([^"]+)": \{/.exec(line);
    if (name) property = name[1];
    const values = /^(\t+)Enum: +\[\]interface\{\}\{(.*)\},$/.exec(line);
    if (!values || !definition) continue;
    const schema = definition.properties[property];
    const own = values[1].length === 7;
    const node = own ? schema : (schema.items ?? schema.additionalProperties);
    if (!node) throw new Error(`no place for the enum of ${property}: ${line}`);
    node.enum = JSON.parse(`[${values[2]}]`);
    added += 1;
  }
  return added;
}

const enums = addEnums();
const sorted = [...definitions].sort(([one], [other]) => (one < other ? -1 : 1));
writeFileSync(
  target("definitions"),
  `{\n${lines(sorted.map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`))}\n}\n`,
);
console.log(`${groups.length} groups, ${definitions.size} definitions, ${enums} enums`);
