/**
 * The names and paths in `PROJECT`. They become parts of paths, of code and of command lines, and the file may be that of a
 * cloned repository.
 */
import { join } from "node:path";
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import { type KindNames, wrongName } from "../../kube/kind-names.ts";
import { dns1123LabelErrors } from "../../kube/names.ts";
import { PROJECT_FILE } from "./project-root.ts";
import type { YamlDocument } from "./yaml/yaml-documents.ts";

/** The error about a `PROJECT` file. */
export function broken(
  root: string,
  what: string,
  fix: string,
  place = join(root, PROJECT_FILE),
): TsopError {
  return new TsopError("broken-project-file", `${place}: ${what}.`, `${fix}; nothing was written.`);
}

/** As kubectl and krew take them. */
const PLUGIN = /^[a-z\d]+([-_][a-z\d]+)*$/;

type Path = readonly (string | number)[];

/**
 * Refuses names that cannot be those of kinds, plugins and projects, and paths that lead out of the project. Values that
 * are no texts are refused where they are read.
 *
 * @throws TsopError `broken-project-file`
 */
export function refuseNames(
  root: string,
  document: YamlDocument,
  data: Readonly<Record<string, unknown>>,
): void {
  const refuse = (path: Path, value: string, problem: string): never => {
    const named = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
    const field = named.join("").slice(1);
    const what = `${field} is ${JSON.stringify(value)}: ${problem}`;
    throw broken(root, what, "Restore it from version control", document.placeOf(path));
  };
  const { projectName, resources, plugins } = data;
  const [problem] = typeof projectName === "string" ? dns1123LabelErrors(projectName) : [];
  if (problem !== undefined) refuse(["projectName"], String(projectName), problem);
  for (const [index, one] of entriesOf(resources)) {
    const { group, version, kind, plural, domain } = one;
    const wrong = wrongName(texts({ group, version, kind, plural }));
    if (wrong) refuse(["resources", index, wrong.field], wrong.name, wrong.problem);
    const end = wrongName(texts({ group: domain }));
    if (end) refuse(["resources", index, "domain"], end.name, end.problem);
    refusePaths(one["files"], ["resources", index, "files"], refuse);
  }
  for (const [index, one] of entriesOf(plugins)) {
    const { name } = one;
    if (typeof name === "string" && !PLUGIN.test(name)) {
      refuse(["plugins", index, "name"], name, "it is not a name for a kubectl plugin");
    }
    refusePaths(one["files"], ["plugins", index, "files"], refuse);
  }
}

function refusePaths(
  files: unknown,
  path: Path,
  refuse: (path: Path, value: string, problem: string) => never,
): void {
  for (const file of isJsonObject(files) ? Object.keys(files) : []) {
    const steps = file.split(/[/\\]/);
    const leaves = !/^[^/\\\0]/.test(file) || /^[a-z]:/i.test(file) || steps.includes("..");
    if (leaves) refuse(path, file, "it is not a path in the project");
  }
}

const entriesOf = (list: unknown): [number, Record<string, unknown>][] =>
  (Array.isArray(list) ? (list as unknown[]) : []).flatMap((one, index) =>
    isJsonObject(one) ? [[index, one] as [number, Record<string, unknown>]] : [],
  );

const texts = (names: Readonly<Record<string, unknown>>): KindNames =>
  Object.fromEntries(Object.entries(names).filter(([, value]) => typeof value === "string"));
