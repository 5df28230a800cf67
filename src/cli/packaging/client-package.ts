/** A package with which other programs use a project's kinds: a token and an interface for each, on tsop's client. */
import { capitalized } from "../../kube/text/capitalized.ts";
import { jsDoc } from "../../generator/import/source-text.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { Crd } from "../project/crd.ts";
import { fieldsOf } from "./schema-types.ts";

export interface ClientFacts {
  /** The name on npm: `@acme/web-client`. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license?: string;
  /** The tsop that wrote it. */
  readonly tsop: string;
}

/** One version of a kind. */
interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly isStored: boolean;
  readonly schema: JsonObject;
}

/** The files of the package by their paths in it. */
export function clientFiles(definitions: readonly Crd[], facts: ClientFacts): Map<string, string> {
  const kinds = definitions.flatMap(kindsOf);
  const names = new PartNames(kinds);
  const modules = new Map<string, Kind[]>();
  for (const kind of kinds) {
    const path = `${folderOf(kind, kinds)}/${kind.version}`;
    modules.set(path, [...(modules.get(path) ?? []), kind]);
  }
  const files = new Map<string, string>();
  for (const [path, own] of modules) {
    files.set(`${path}.js`, own.map(tokenOf).join("\n"));
    files.set(`${path}.d.ts`, declarationsOf(own, names));
  }
  files.set(
    "index.js",
    indexOf(modules, kinds, ({ kind }) => [kind]),
  );
  files.set(
    "index.d.ts",
    indexOf(modules, kinds, (kind) => typedNames(kind, names)),
  );
  files.set("package.json", packageJson([...modules.keys()], facts));
  files.set("README.md", readme(modules, kinds, facts));
  return files;
}

function kindsOf(definition: Crd): Kind[] {
  const { group, names, versions, scope } = definition.spec;
  return versions
    .filter(({ served }) => served)
    .map(({ name, storage, schema }) => ({
      group,
      version: name,
      kind: names.kind,
      plural: names.plural,
      namespaced: scope === "Namespaced",
      isStored: storage,
      schema: { ...schema?.openAPIV3Schema },
    }));
}

/** The first part of the group, where no other group begins with it. */
function folderOf({ group }: Kind, kinds: readonly Kind[]): string {
  const first = (name: string): string => name.split(".")[0] ?? name;
  const isAlone = kinds.every(
    (other) => other.group === group || first(other.group) !== first(group),
  );
  return isAlone ? first(group) : group;
}

function tokenOf({ group, version, kind, plural, namespaced }: Kind): string {
  const info = { group, version, kind, plural, namespaced };
  return `export const ${kind} = Object.freeze(${JSON.stringify(info, undefined, 2)});\n`;
}

/** The names of the interfaces of parts: none is that of a kind, or of another kind's part. */
class PartNames {
  readonly #taken: Set<string>;
  readonly #names = new Map<string, string>();

  constructor(kinds: readonly Kind[]) {
    this.#taken = new Set(kinds.map(({ kind }) => kind));
  }

  /**
   * The name of a field's interface: `FooSpec`; where there is a kind of that name, `FooSpecPart`.
   * The same in all versions.
   */
  nameOf(kind: string, field: string): string {
    const key = `${kind}.${field}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    let name = `${kind}${capitalized(field)}`;
    while (this.#taken.has(name)) name += "Part";
    this.#taken.add(name);
    this.#names.set(key, name);
    return name;
  }
}

function declarationsOf(kinds: readonly Kind[], names: PartNames): string {
  const imports = `import type { KubeObject, ResourceType } from "tsop";\n`;
  return [imports, ...kinds.map((kind) => declarationOf(kind, names))].join("\n");
}

function declarationOf({ kind, schema }: Kind, names: PartNames): string {
  const { properties, required, description } = schema;
  const fields = isJsonObject(properties) ? properties : {};
  const own = Object.keys(fields).filter((name) => !INHERITED.has(name));
  const parts = own.map((name) => partOf(names.nameOf(kind, name), fields[name]));
  const members = own.map((name, at) => {
    const isThere = Array.isArray(required) && required.includes(name);
    return `  ${name}${isThere ? "" : "?"}: ${parts[at]?.type ?? "unknown"};\n`;
  });
  const text = typeof description === "string" ? jsDoc(description, "") : undefined;
  return [
    ...parts.flatMap(({ source }) => (source === "" ? [] : [source])),
    `${text ?? ""}export interface ${kind} extends KubeObject {\n${members.join("")}}\n`,
    `export declare const ${kind}: ResourceType<${kind}>;\n`,
  ].join("\n");
}

const INHERITED: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** The interfaces of `spec` and `status`, which programs can name. */
function partOf(type: string, schema: unknown): { type: string; source: string } {
  if (isJsonObject(schema) && isJsonObject(schema["properties"])) {
    return { type, source: `export interface ${type} {\n${fieldsOf(schema, "  ")}}\n` };
  }
  return { type: "unknown", source: "" };
}

/** The versions that are stored; a kind whose name two groups have is in their modules alone. */
function indexOf(
  modules: ReadonlyMap<string, readonly Kind[]>,
  kinds: readonly Kind[],
  namesOf: (kind: Kind) => readonly string[],
): string {
  const lines = [...modules].flatMap(([path, own]) => {
    const shown = own.filter(({ kind, group, isStored }) => {
      const isUnique = kinds.every((other) => other.kind !== kind || other.group === group);
      return isStored && isUnique;
    });
    const names = shown.flatMap(namesOf);
    return names.length === 0 ? [] : [`export { ${names.join(", ")} } from "./${path}.js";\n`];
  });
  return lines.length === 0 ? "export {};\n" : lines.join("");
}

/** The names that a declaration has for a kind: its token and interface, and the interfaces of its parts. */
function typedNames({ kind, schema }: Kind, names: PartNames): string[] {
  const { properties } = schema;
  const parts = Object.entries(isJsonObject(properties) ? properties : {})
    .filter(([name]) => !INHERITED.has(name))
    .map(([name, part]) => partOf(names.nameOf(kind, name), part))
    .filter(({ source }) => source !== "");
  return [kind, ...parts.map(({ type }) => `type ${type}`)];
}

function packageJson(modules: readonly string[], facts: ClientFacts): string {
  const entry = (path: string) => ({ types: `./${path}.d.ts`, default: `./${path}.js` });
  const content = {
    name: facts.name,
    version: facts.version,
    description: facts.description,
    ...(facts.license !== undefined && { license: facts.license }),
    type: "module",
    sideEffects: false,
    exports: {
      ".": entry("index"),
      ...Object.fromEntries(modules.map((path) => [`./${path}`, entry(path)])),
      "./package.json": "./package.json",
    },
    files: ["**/*.js", "**/*.d.ts"],
    peerDependencies: { tsop: `^${facts.tsop}` },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function readme(
  modules: ReadonlyMap<string, readonly Kind[]>,
  kinds: readonly Kind[],
  { name, description }: ClientFacts,
): string {
  const rows = [...modules].flatMap(([path, own]) =>
    own.map(
      ({ kind, group, version }) => `| ${kind} | ${group}/${version} | \`${name}/${path}\` |`,
    ),
  );
  const example = kinds.find(({ isStored }) => isStored);
  const place = example?.namespaced === true ? `{ namespace: "default" }` : "";
  const use =
    example === undefined
      ? ""
      : `
\`\`\`ts
import { createClient, loadClusterConfig } from "tsop";
import { ${example.kind} } from "${name}/${folderOf(example, kinds)}/${example.version}";

const client = createClient(loadClusterConfig(), { name: "my-program" });
for (const one of await client.list(${example.kind}${place === "" ? "" : `, ${place}`})) {
  console.log(one.metadata.name, one.metadata.uid);
}
\`\`\`
`;
  return `# ${name}

${description}: the types of its kinds, and the tokens by which a client of [tsop](https://www.npmjs.com/package/tsop) knows them.

\`\`\`sh
npm install ${name} tsop
\`\`\`
${use}
| kind | API | module |
| --- | --- | --- |
${rows.join("\n")}

Written by \`tsop generate client\`; not by hand.
`;
}
