// Writes src/generated/k8s/: the types of Kubernetes' own kinds, and a token for each kind; and beside it their
// documentation as data, for OpenAPI documents.
//
// Joined from three sources, all read as text (their code needs a newer Node than we do): the
// declarations of kubernetes-models (names, documentation, what is required), the attribute tables
// of @kubernetes/client-node 2 (int32, int64, byte; paths of the API, hence plurals and scopes), and
// the schemas of the control plane (how lists merge, defaults).
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));
const modules = join(root, "node_modules");
const models = join(modules, "kubernetes-models");
const machinery = join(modules, "@kubernetes-models/apimachinery");
const client = join(modules, "client-node-2/dist/gen");
const target = join(root, "src/generated/k8s");

/** The folders of kubernetes-models that are read: the stable versions of every group. */
const GROUPS = [
  { folder: join(machinery, "apis/meta/v1"), group: "meta", version: "v1" },
  { folder: join(models, "v1"), group: "", version: "v1" },
  ...readdirSync(models, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(_schemas|v1)$/.test(entry.name))
    .flatMap(({ name }) =>
      ["v1", "v2"]
        .map((version) => ({ folder: join(models, name, version), group: name, version }))
        .filter(({ folder }) => existsSync(folder)),
    ),
];

/** Types that are not interfaces, or whose declaration is incomplete: written by hand. */
const SCALARS = {
  Quantity: "Quantity",
  IntOrString: "IntOrString",
  Time: "Time",
  MicroTime: "MicroTime",
};
const BY_HAND = {
  FieldsV1: "Record<string, unknown>",
  RawExtension: "Record<string, unknown>",
  JSON: "Json",
  JSONSchemaPropsOrBool: "JSONSchemaProps | boolean",
  JSONSchemaPropsOrArray: "JSONSchemaProps | JSONSchemaProps[]",
  JSONSchemaPropsOrStringArray: "JSONSchemaProps | string[]",
  CustomResourceSubresourceStatus: "Record<string, unknown>",
};
/** Fields whose values are fewer than their declared type allows. */
const NARROWER = {
  "ManagedFieldsEntry.operation": '"Apply" | "Update"',
  "ManagedFieldsEntry.fieldsType": '"FieldsV1"',
  "Condition.status": '"True" | "False" | "Unknown"',
};
/** Bounds that the OpenAPI description leaves out and apimachinery's own markers have. */
const BOUNDS = {
  "Condition.message": ["@maxLength 32768"],
  "Condition.observedGeneration": ["@minimum 0"],
  "Condition.reason": [
    "@minLength 1",
    "@maxLength 1024",
    "@pattern ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
  ],
  "Condition.type": [
    "@maxLength 316",
    String.raw`@pattern ^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
  ],
};

/** Kinds whose changes the API server counts: all their objects have `metadata.generation`. A test compares with recordings. */
const COUNTED = new Set(
  (
    "CronJob CustomResourceDefinition DaemonSet Deployment DeviceClass EndpointSlice FlowSchema Ingress IngressClass Job " +
    "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration NetworkPolicy Pod " +
    "PodDisruptionBudget PodTemplate PriorityClass PriorityLevelConfiguration ReplicaSet ReplicationController " +
    "ResourceSlice StatefulSet ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration"
  ).split(" "),
);
/**
 * Kinds that the API server answers and does not store, so that their metadata is that of the
 * request.
 */
const UNSTORED = /^Binding$|^ComponentStatus$|Review$/;

/** The metadata of objects that were read. */
const STORED_METADATA = `/** The metadata of an object that a server has stored: what it sets on every object is there. */
export interface StoredMeta extends ObjectMeta {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: Time;
}

/** The metadata of a stored object of a kind whose changes the server counts: every custom resource, and most workloads. */
export interface CountedMeta extends StoredMeta {
  generation: Int64;
}
`;

/** Every kind that has a path of its own: `group/version/Kind` to its plural and scope. */
function readPaths() {
  const kinds = new Map();
  for (const file of readdirSync(join(client, "apis")).filter((name) =>
    /V\d+Api\.js$/.test(name),
  )) {
    const text = readFileSync(join(client, "apis", file), "utf8");
    const method =
      /async (?:create|list)(?:Namespaced)?(\w+)\([^)]*\) \{[\s\S]*?localVarPath = '([^']+)'/g;
    for (const [, kind, path] of text.matchAll(method)) {
      const parts = /^\/apis?(?:\/([^/]+))?\/(v\d+)(\/namespaces\/\{namespace\})?\/([^/{}]+)$/.exec(
        path,
      );
      if (!parts || kind.endsWith("ForAllNamespaces")) continue;
      const [, group = "", version, namespaced, plural] = parts;
      kinds.set(`${group}/${version}/${kind}`, { plural, namespaced: namespaced !== undefined });
    }
  }
  return kinds;
}

/** The attribute table of a model, by field; empty when the client has no such model. */
function readFormats(group, version, name) {
  const short = group === "" ? "core" : group.split(".")[0];
  const prefix = short[0].toUpperCase() + short.slice(1);
  for (const model of [`${prefix}V${version.slice(1)}${name}`, `V${version.slice(1)}${name}`]) {
    const file = join(client, "models", `${model}.js`);
    if (!existsSync(file)) continue;
    const table = /attributeTypeMap = (\[[\s\S]*?\n\]);/.exec(readFileSync(file, "utf8"));
    if (!table) return {};
    return Object.fromEntries(JSON.parse(table[1]).map((row) => [row.baseName, row.format]));
  }
  return {};
}

const FORMAT_NAMES = { int32: "Int32", int64: "Int64", double: "Double", float: "Float" };

/** One declaration file: its interface, as data. */
function readModel(file) {
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const imports = new Map();
  let found;
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      const from = statement.moduleSpecifier.text;
      for (const element of statement.importClause?.namedBindings?.elements ?? []) {
        imports.set(element.name.text, from);
      }
    } else if (ts.isInterfaceDeclaration(statement) && !found) found = statement;
  }
  if (!found) return undefined;
  return {
    imports,
    documentation: docOf(found),
    members: found.members.map((member) => ({
      name: member.name.text,
      optional: member.questionToken !== undefined,
      type: member.type.getText(source),
      documentation: docOf(member),
    })),
  };
}

function docOf(node) {
  const [comment] = node.jsDoc ?? [];
  return comment
    ? comment
        .getFullText()
        .slice(3, -2)
        .replace(/^[ \t]*\* ?/gm, "")
        .trim()
    : "";
}

const INTERFACE = /(?<!")\bI(?:Io[A-Z]\w*|[A-Z]\w*)\b(?!")/g;

/** The models of all groups: file -> { group, version, name, model }. */
const all = new Map();
for (const { folder, group, version } of GROUPS) {
  for (const file of readdirSync(folder).sort()) {
    const name = file.replace(/\.d\.ts$/, "");
    if (!file.endsWith(".d.ts") || name === "index" || name in SCALARS) continue;
    if (name.endsWith("List") && existsSync(join(folder, `${name.slice(0, -4)}.d.ts`))) continue;
    const model = name in BY_HAND ? undefined : readModel(join(folder, file));
    if (model || name in BY_HAND) all.set(join(folder, name), { group, version, name, model });
  }
}
all.set(join(machinery, "runtime/RawExtension"), {
  group: "meta",
  version: "v1",
  name: "RawExtension",
});

const paths = readPaths();
const kindOf = ({ group, version, name }) => paths.get(`${group}/${version}/${name}`);

/**
 * Assigns the short name where several kinds want it: kinds first, then the core group, then by
 * group; the newest version.
 */
function chooseNames() {
  const claims = new Map();
  for (const entry of all.values()) {
    claims.set(entry.name, [...(claims.get(entry.name) ?? []), entry]);
  }
  const rank = (entry) => [
    kindOf(entry) ? 0 : 1,
    entry.group === "meta" ? 0 : entry.group === "" ? 1 : entry.group.startsWith("rbac") ? 2 : 3,
    -Number(entry.version.slice(1)),
    entry.group,
  ];
  for (const entries of claims.values()) {
    entries.sort((a, b) => {
      const [x, y] = [rank(a), rank(b)];
      const at = x.findIndex((value, index) => value !== y[index]);
      return at < 0 ? 0 : x[at] < y[at] ? -1 : 1;
    });
    entries.forEach((entry, index) => {
      const short = entry.group === "" ? "core" : entry.group.split(".")[0];
      const prefix = `${short[0].toUpperCase()}${short.slice(1)}V${entry.version.slice(1)}`;
      entry.exported = index === 0 ? entry.name : `${prefix}${entry.name}`;
    });
  }
}
chooseNames();

const fileOf = ({ group, version }) =>
  `${group === "" ? "core" : group.split(".")[0]}-${version}.ts`;

/** A comment of `text` and tags, indented. A line of documentation never ends the comment. */
function comment(text, tags, indent) {
  const [before, values] = text.split(/\n*Possible enum values:\n/);
  const deprecated = before.split(/\n(?=@deprecated)/);
  const lines = [
    ...deprecated[0]
      .trim()
      .replace(/\\\*(?!\/)/g, "*")
      .split("\n"),
    ...tags,
    ...deprecated.slice(1),
    ...(values ? ["@remarks", ...values.trim().split("\n")] : []),
  ];
  if (lines.every((line) => line === "")) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

const schemas = JSON.parse(
  readFileSync(join(root, "src/controlplane/builtin/definitions.data.json"), "utf8"),
);
/** Packages of Go by API group, as names of definitions write them. */
const PACKAGES = {
  "": "io.k8s.api.core",
  meta: "io.k8s.apimachinery.pkg.apis.meta",
  "apiextensions.k8s.io": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
  "apiregistration.k8s.io": "io.k8s.kube-aggregator.pkg.apis.apiregistration",
};
const definitionName = ({ group, version, name }) =>
  `${PACKAGES[group] ?? `io.k8s.api.${group.split(".")[0]}`}.${version}.${name}`;

/**
 * OpenAPI has a default of `""`, 0 or `{}` for each field that Go always writes. These fields have a
 * marker with such a default. The others of AzureDiskVolumeSource refer to constants, which
 * controller-gen leaves out.
 */
const ZERO_DEFAULTS = new Set([
  "AzureDiskVolumeSource.readOnly",
  "ConfigMapEnvSource.name",
  "ConfigMapKeySelector.name",
  "ConfigMapProjection.name",
  "ConfigMapVolumeSource.name",
  "FileKeySelector.optional",
  "GRPCAction.service",
  "LocalObjectReference.name",
  "ReplicationControllerSpec.minReadySeconds",
  "ScaleSpec.replicas",
  "SecretEnvSource.name",
  "SecretKeySelector.name",
  "SecretProjection.name",
]);
const CONSTANT_DEFAULTS = /^AzureDiskVolumeSource\.(?:cachingMode|kind)$/;

/** The tags that the generator reads from an interface, for a type or one of its fields. */
function tagsOf(schema, field) {
  if (!schema) return [];
  const { default: value } = schema;
  const isZero = value === "" || value === 0 || value === false || typeof value === "object";
  const isDefault =
    value !== undefined && (isZero ? ZERO_DEFAULTS.has(field) : !CONSTANT_DEFAULTS.test(field));
  const list = {
    map: `@listMap ${schema["x-kubernetes-list-map-keys"]?.join(" ")}`,
    set: "@listSet",
    atomic: "@listAtomic",
  }[schema["x-kubernetes-list-type"]];
  return [
    ...(list ? [list] : []),
    ...(schema["x-kubernetes-map-type"] === "atomic" ? ["@atomic"] : []),
    ...(isDefault ? [`@default ${JSON.stringify(value)}`] : []),
    ...(BOUNDS[field] ?? []),
  ];
}

/** The source of one group and version. */
function emit(entries) {
  const here = fileOf(entries[0]);
  const foreign = new Map();
  const scalars = new Set();
  const bodies = entries.map((entry) => emitType(entry));
  const used = (name) => bodies.some((body) => new RegExp(`\\b${name}\\b`).test(body));
  const lines = ["// Written by scripts/build/k8s-types.mjs; not by hand."];
  if (used("KnownKind")) lines.push(`import type { KnownKind } from "../../kube/known-kind.ts";`);
  if (bodies.some((body) => /= Json;/.test(body))) {
    lines.push(`import type { Json } from "../../kube/object.ts";`);
  }
  if (scalars.size > 0) {
    lines.push(`import type { ${[...scalars].sort().join(", ")} } from "../../kube/scalars.ts";`);
  }
  for (const [file, names] of [...foreign].sort(([a], [b]) => (a < b ? -1 : 1))) {
    lines.push(`import type { ${[...names].sort().join(", ")} } from "./${file}";`);
  }
  return `${lines.join("\n")}\n\n${bodies.join("\n")}`;

  function emitType(entry) {
    const { exported, name, model } = entry;
    if (!model) return `export type ${exported} = ${BY_HAND[name]};\n`;
    const schema = schemas[definitionName(entry)];
    const formats = readFormats(entry.group, entry.version, name);
    const kind = kindOf(entry);
    const members = model.members.map((member) => {
      const type =
        NARROWER[`${name}.${member.name}`] ??
        (kind && member.name === "metadata" && !UNSTORED.test(name)
          ? storedMeta(COUNTED.has(name) ? "CountedMeta" : "StoredMeta")
          : typeText(entry, member.type, formats[member.name]));
      // Every object has metadata, whatever the OpenAPI description leaves open.
      const optional = member.optional && !(kind && member.name === "metadata");
      const key = /^[A-Za-z_]\w*$/.test(member.name) ? member.name : JSON.stringify(member.name);
      return `${comment(member.documentation, tagsOf(schema?.properties?.[member.name] ?? {}, `${name}.${member.name}`), "  ")}  ${key}${optional ? "?" : ""}: ${type};\n`;
    });
    let text = `${comment(model.documentation, tagsOf(schema), "")}export interface ${exported} {\n${members.join("")}}\n`;
    if (kind) {
      const { group, version } = entry;
      const parts = [group, version, name, kind.plural, kind.namespaced];
      const literals = parts.map((part) => JSON.stringify(part)).join(", ");
      text += `${comment(model.documentation, [], "")}export const ${exported}: KnownKind<${exported}, ${literals}> = { group: ${JSON.stringify(group)}, version: ${JSON.stringify(version)}, kind: ${JSON.stringify(name)}, plural: ${JSON.stringify(kind.plural)}, namespaced: ${kind.namespaced} };\n`;
    }
    return name === "ObjectMeta" ? `${text}\n${STORED_METADATA}` : text;
  }

  function storedMeta(name) {
    const file = "meta-v1.ts";
    foreign.set(file, (foreign.get(file) ?? new Set()).add(name));
    return name;
  }

  function typeText(entry, declared, format) {
    let text = declared.replace(/\s+/g, " ").replace(INTERFACE, (identifier) => {
      const from = entry.model.imports.get(identifier);
      const folder = GROUPS.find(
        (g) => g.group === entry.group && g.version === entry.version,
      ).folder;
      const file = !from
        ? join(folder, identifier.slice(1))
        : from.startsWith(".")
          ? resolve(folder, from.replace(/\.js$/, ""))
          : join(modules, from);
      const name = file.split("/").at(-1);
      if (name in SCALARS) {
        scalars.add(name);
        return name;
      }
      const found = all.get(file);
      if (!found)
        throw new Error(`${entry.name} refers to ${relative(modules, file)}, which was not read`);
      const other = fileOf(found);
      if (other !== here) foreign.set(other, (foreign.get(other) ?? new Set()).add(found.exported));
      return found.exported;
    });
    text = text
      .replace(/\{ \[key: string\]: ([^{}]+?);? \}/g, "Record<string, $1>")
      .replace(/\bArray<([\w]+)>/g, "$1[]");
    const alias = FORMAT_NAMES[format];
    if (alias && /\bnumber\b/.test(text)) {
      scalars.add(alias);
      text = text.replace(/\bnumber\b/, alias);
    }
    if (format === "byte" && /\bstring(?!,)\b/.test(text)) {
      scalars.add("Base64");
      text = text.replace(/\bstring\b(?!,)/, "Base64");
    }
    return text;
  }
}

const files = new Map();
for (const entry of all.values()) {
  const file = fileOf(entry);
  files.set(file, [...(files.get(file) ?? []), entry]);
}
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const [file, entries] of files) writeFileSync(join(target, file), emit(entries));
const index = [...files.keys()].sort().map((file) => `export * from "./${file}";\n`);
writeFileSync(
  join(target, "index.ts"),
  `// Written by scripts/build/k8s-types.mjs; not by hand.\n${index.join("")}`,
);

const docText = (text) => text.replace(/\\\*(?!\/)/g, "*").replaceAll("*\\/", "*/");
const docs = {};
for (const entry of all.values()) {
  const { model } = entry;
  if (!model) continue;
  docs[definitionName(entry)] = Object.fromEntries([
    ["", docText(model.documentation)],
    ...model.members.map((member) => [member.name, docText(member.documentation)]),
  ]);
}
writeFileSync(join(root, "src/generated/k8s-docs.data.json"), `${JSON.stringify(docs)}\n`);
