import { execa } from "execa";
import { readFileSync, writeFileSync } from "node:fs";
import { KUBERNETES_VERSION } from "../../src/kube/kubernetes-version.ts";
import { defineMaker } from "../programs/program.ts";

/** In the order in which they are made. */
const TABLES = [
  "resources-and-schemas",
  "columns",
  "go-internal",
  "go-shape",
  "protobuf",
  "bootstrap-rbac",
  "declared-rules",
];
const BUILTIN = "src/controlplane/builtin";
const BOOTSTRAP = "src/controlplane/auth/bootstrap-rbac.data.json";
const VERSION_FILE = "src/kube/kubernetes-version.ts";

interface Resource {
  readonly plural: string;
  readonly subresources?: readonly { readonly name: string }[];
}
interface Group {
  readonly name: string;
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly Resource[];
  }[];
}
interface Schema {
  readonly properties?: object;
  readonly required?: readonly string[];
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

/** The facts of the tables, as sets of short lines by subject. */
function facts(): Record<string, readonly string[]> {
  const groups = read(`${BUILTIN}/resources.data.json`) as readonly Group[];
  const schemas = read(`${BUILTIN}/definitions.data.json`) as Record<string, Schema>;
  const roles = read(BOOTSTRAP) as readonly { readonly kind: string; readonly name: string }[];
  return {
    resources: groups.flatMap(({ name, versions }) =>
      versions.flatMap(({ version, resources }) =>
        resources.flatMap(({ plural, subresources = [] }) => {
          const own = [name, version, plural].filter((part) => part !== "").join("/");
          return [own, ...subresources.map((sub) => `${own}/${sub.name}`)];
        }),
      ),
    ),
    schemas: Object.keys(schemas),
    fields: Object.entries(schemas).flatMap(([name, { properties = {}, required = [] }]) =>
      Object.keys(properties).map(
        (field) => `${name}.${field}${required.includes(field) ? " (required)" : ""}`,
      ),
    ),
    roles: roles.map(({ kind, name }) => `${kind} ${name}`),
    rules: roles.map((role) => JSON.stringify(role)),
  };
}

function printChanges(title: string, old: readonly string[], now: readonly string[]): void {
  const added = now.filter((one) => !old.includes(one));
  const removed = old.filter((one) => !now.includes(one));
  console.log(`${title}: ${now.length}, ${added.length} new, ${removed.length} gone`);
  for (const one of added) console.log(`  + ${one}`);
  for (const one of removed) console.log(`  - ${one}`);
}

export const program = defineMaker({
  about:
    "Writes the tables of built-in kinds from the sources of a Kubernetes version, and lists the changes (docs/next-kubernetes.md).",
  needs: ["Go", "the network"],
  words: {
    name: "VERSION",
    about: "as 1.37.2; the version of the tables when absent, which changes nothing",
    most: 1,
  },
  options: {},
  run: async ({ words: [wanted = KUBERNETES_VERSION] }) => {
    if (!/^1\.\d+\.\d+$/.test(wanted)) {
      throw new Error(`${wanted} is not a version of Kubernetes. For example: 1.37.2`);
    }
    const before = facts();
    for (const table of TABLES) {
      const file = `scripts/make/kubernetes/${table}.mjs`;
      const { failed } = await execa(process.execPath, [file], {
        env: { KUBERNETES: wanted },
        stdio: "inherit",
        reject: false,
      });
      if (!failed) continue;
      throw new Error(
        `The table ${table} was not made; those before it were. \`git restore src\` takes them back.`,
      );
    }
    const text = readFileSync(VERSION_FILE, "utf8");
    writeFileSync(VERSION_FILE, text.replace(/"\d+\.\d+\.\d+"/, JSON.stringify(wanted)));
    console.log(`\n${KUBERNETES_VERSION} -> ${wanted}`);
    for (const [title, now] of Object.entries(facts())) {
      printChanges(title, before[title] ?? [], now);
    }
    return [VERSION_FILE, BUILTIN, BOOTSTRAP];
  },
});
