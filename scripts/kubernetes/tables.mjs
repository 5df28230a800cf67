// Makes all tables of built-in kinds from the sources of one version of Kubernetes, and lists the
// changes:
//
//   node scripts/kubernetes/tables.mjs            the version that the tables are of: nothing may change
//   node scripts/kubernetes/tables.mjs 1.37.2     another one; docs/next-kubernetes.md says what comes after it
//
// Needs Go, for `go mod download`.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { VERSION_FILE, root, version as present } from "./sources.mjs";

const TABLES = [
  "resources-and-schemas",
  "columns",
  "go-internal",
  "go-shape",
  "protobuf",
  "bootstrap-rbac",
  "declared-rules",
];
const BUILTIN = `${root}src/controlplane/builtin`;

const wanted = process.argv[2] ?? present;
if (!/^1\.\d+\.\d+$/.test(wanted)) {
  console.error(`${wanted} is not a version of Kubernetes. For example: 1.37.2`);
  process.exit(2);
}

const before = facts();
for (const table of TABLES) {
  const { status } = spawnSync(process.execPath, [`${root}scripts/kubernetes/${table}.mjs`], {
    env: { ...process.env, KUBERNETES: wanted },
    stdio: "inherit",
  });
  if (status === 0) continue;
  console.error(
    `The table ${table} was not made; those before it were. \`git restore src\` takes them back.`,
  );
  process.exit(1);
}
const text = readFileSync(VERSION_FILE, "utf8");
writeFileSync(VERSION_FILE, text.replace(/"\d+\.\d+\.\d+"/, JSON.stringify(wanted)));

const after = facts();
console.log(`\n${present} -> ${wanted}`);
for (const title of Object.keys(after)) tell(title, before[title], after[title]);

/** The facts of the tables, as sets of short lines by subject. */
function facts() {
  const groups = JSON.parse(readFileSync(`${BUILTIN}/resources.data.json`, "utf8"));
  const definitions = JSON.parse(readFileSync(`${BUILTIN}/definitions.data.json`, "utf8"));
  const roles = JSON.parse(
    readFileSync(`${root}src/controlplane/auth/bootstrap-rbac.data.json`, "utf8"),
  );
  return {
    resources: groups.flatMap(({ name, versions }) =>
      versions.flatMap(({ version, resources }) =>
        resources.flatMap((resource) => {
          const own = [name, version, resource.plural].filter((part) => part !== "").join("/");
          return [own, ...(resource.subresources ?? []).map((sub) => `${own}/${sub.name}`)];
        }),
      ),
    ),
    schemas: Object.keys(definitions),
    fields: Object.entries(definitions).flatMap(([name, { properties = {}, required = [] }]) =>
      Object.keys(properties).map(
        (field) => `${name}.${field}${required.includes(field) ? " (required)" : ""}`,
      ),
    ),
    roles: roles.map(({ kind, name }) => `${kind} ${name}`),
    rules: roles.map((role) => JSON.stringify(role)),
  };
}

function tell(title, old, now) {
  const added = now.filter((one) => !old.includes(one));
  const removed = old.filter((one) => !now.includes(one));
  console.log(`${title}: ${now.length}, ${added.length} new, ${removed.length} gone`);
  for (const one of added) console.log(`  + ${one}`);
  for (const one of removed) console.log(`  - ${one}`);
}
