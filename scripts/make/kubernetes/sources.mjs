// The sources of Kubernetes from which the tables are made: Go's module cache, which `go mod
// download` fills.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The file with the version of the tables. */
export const VERSION_FILE = `${root}src/kube/kubernetes-version.ts`;

/** The version to read: `KUBERNETES=1.37.2`, or that of the tables. */
export const version =
  process.env.KUBERNETES ?? /"(\d+\.\d+\.\d+)"/.exec(readFileSync(VERSION_FILE, "utf8"))?.[1];

const folders = new Map();

/**
 * The folder of a module's sources, fetched where it is missing.
 *
 * @param name - `kubernetes`, or one that it publishes, as `api`, whose versions begin with 0 in the place of 1
 */
export function moduleFolder(name) {
  const known = folders.get(name);
  if (known !== undefined) return known;
  const tag = name === "kubernetes" ? `v${version}` : `v${version.replace(/^1\./, "0.")}`;
  const asked = ["mod", "download", "-json", `k8s.io/${name}@${tag}`];
  const folder = JSON.parse(execFileSync("go", asked, { encoding: "utf8", cwd: root })).Dir;
  folders.set(name, folder);
  return folder;
}

/**
 * The served versions of the groups, of the table of resources, which is made first: the name (`apps/v1`), the folder that the group
 * has in `k8s.io/api` and `pkg/apis`, and the version. A group's preferred version comes before its others.
 */
export function servedVersions() {
  const resources = readFileSync(`${root}src/controlplane/builtin/resources.data.json`, "utf8");
  return JSON.parse(resources).flatMap(({ name: group, versions }) => {
    const folder = group === "" ? "core" : group.split(".")[0];
    return versions.map(({ version }) => ({
      name: group === "" ? version : `${group}/${version}`,
      folder,
      version,
    }));
  });
}

/** One line for each entry keeps the differences between versions readable. */
export function linesOf(entries) {
  return Object.entries(entries)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(",\n");
}
