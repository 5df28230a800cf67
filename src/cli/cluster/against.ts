/** `tsop manifests --against`: what the code changes about CRDs that are in use. */
import { relative, resolve } from "node:path";
import { messageOf, TsopError, UsageError } from "../../errors.ts";
import { type Change, pathText } from "../../generator/changes/change.ts";
import { compareCrds, type CrdState } from "../../generator/changes/compare-crds.ts";
import type { Generated } from "../../generator/generate.ts";
import { readCrd } from "../../generator/import/read-crd.ts";
import { isJsonObject } from "../../kube/json.ts";
import { type ClusterOptions, openCluster } from "./cluster-session.ts";
import type { CliContext } from "../context.ts";
import { CustomResourceDefinition } from "../../generated/k8s/apiextensions-v1.ts";
import { isCrd } from "../project/crd.ts";
import { present } from "../../present.ts";
import { paint, tellNotes } from "../output.ts";
import { GitRepository } from "../git.ts";
import { documentsAt } from "../kustomize/given-documents.ts";
import type { Project } from "../project/project-file.ts";
import { readYaml, type YamlDocument } from "../project/yaml/yaml-documents.ts";

const CRD_FOLDER = "config/crd/bases";

/** The two sides of a comparison: the code of a project, and an earlier state. */
export interface Compared {
  /** The earlier state: `cluster`, a file or folder of CRDs, or a git revision. */
  readonly against: string;
  readonly generated: Generated;
  readonly project: Project;
}

/** A change, and where in the code it was made. */
export interface PlacedChange extends Change {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** All changes since the earlier state, the safe ones too. */
export async function changesSince(
  { against, generated, project }: Compared,
  options: ClusterOptions,
  context: CliContext,
): Promise<readonly PlacedChange[]> {
  const after = [...generated.files]
    .filter(([path]) => path.startsWith(CRD_FOLDER))
    .flatMap(([path, text]) => crdsIn(text, path));
  const before = await readState(against, project, after, options, context);
  if (before.length === 0 && against !== "cluster") throw nothingToCompare(against);
  return compareCrds(before, after).map((change) => ({
    ...change,
    ...generated.placeOf?.(change),
  }));
}

/** Prints every change but the safe ones. */
export function printChanges(
  against: string,
  changes: readonly PlacedChange[],
  context: CliContext,
): void {
  for (const change of changes) {
    if (change.severity !== "safe") printChange(change, context);
  }
  const count = (severity: Change["severity"]): number =>
    changes.filter((change) => change.severity === severity).length;
  context.out(
    `  against ${against}: ${count("breaking")} breaking, ${count("risky")} risky, ${count("safe")} safe`,
  );
}

/** A check that compared nothing must not pass: the path may be wrong, or the CRDs may not be committed. */
function nothingToCompare(against: string): UsageError {
  return new UsageError(
    "nothing-to-compare",
    `There is no CustomResourceDefinition in ${against}, so nothing was compared.`,
    `Pass a file or folder that has one, or a revision that has ${CRD_FOLDER}. Omit --against until you have a CRD.`,
  );
}

function printChange(change: PlacedChange, context: CliContext): void {
  const { bold, red, yellow } = paint(context);
  const color = change.severity === "breaking" ? red : yellow;
  const { file, line, column } = change;
  const where = file === undefined ? "" : `${file}:${String(line)}:${String(column)} `;
  const path = pathText(change.path);
  const version = change.version === "" ? "" : ` ${change.version}`;
  const what = path === "" ? "" : ` ${path}`;
  context.out(
    `${color(bold(change.severity))} ${where}${change.crd}${version}${what}: ${change.message}.`,
  );
}

const crdsIn = (text: string, from: string): CrdState[] => readYaml(text, from).flatMap(crdsOf);

/** The definitions of a document, and those of a list: `kubectl get crd -o yaml` prints one. */
function crdsOf({ value, placeOf }: Pick<YamlDocument, "value" | "placeOf">): CrdState[] {
  if (!isJsonObject(value)) return [];
  const { kind, items } = value;
  if (typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)) {
    return items.flatMap((item, index) => crdOf(item, placeOf(["items", index])));
  }
  return crdOf(value, placeOf([]));
}

function crdOf(value: unknown, place: string): CrdState[] {
  const isOne = isJsonObject(value) && value["kind"] === "CustomResourceDefinition";
  return isOne ? [readCrd(value, place)] : [];
}

async function readState(
  against: string,
  project: Project,
  after: readonly CrdState[],
  options: ClusterOptions,
  context: CliContext,
): Promise<CrdState[]> {
  if (against === "cluster") {
    const groups = new Set(after.map(({ spec }) => spec.group));
    const live = await openCluster(options, context).list(CustomResourceDefinition);
    return live
      .filter(isCrd)
      .map((crd) => ({
        ...readCrd(crd, crd.metadata.name),
        ...present({ status: crd.status }),
      }))
      .filter(({ spec }) => groups.has(spec.group));
  }
  const given = await documentsAt(
    resolve(context.cwd, against),
    (path) => relative(context.cwd, path) || ".",
  );
  if (!given) return readRevision(against, project, context);
  tellNotes(given.notes, context);
  return given.documents.flatMap(crdsOf);
}

/** The generated CRDs of a revision. */
async function readRevision(
  revision: string,
  { root }: Project,
  context: CliContext,
): Promise<CrdState[]> {
  const git = GitRepository.of(root, context);
  const folder = `./${git.prefix}${CRD_FOLDER}/`;
  let commit: string;
  let names: string[];
  try {
    const verified = ["--verify", "--end-of-options", `${revision}^{commit}`];
    commit = (await git.run("rev-parse", ...verified)).trim();
    const listed = await git.run("ls-tree", "-z", "--name-only", commit, folder);
    names = listed.split("\0").filter((name) => name.endsWith(".yaml"));
  } catch (error) {
    // Only git itself can say that it knows no such revision.
    if (!(error instanceof TsopError) || error.code !== "program-failed") throw error;
    throw new UsageError(
      "nothing-to-compare",
      `${revision} is neither a file, a folder nor a revision of git: ${messageOf(error).split("\n").at(-1)?.trim() ?? ""}`,
      "Give `cluster`, a file or folder of CRDs, or a revision such as HEAD or main.",
      { cause: error },
    );
  }
  const texts = names.map(async (name) =>
    crdsIn(await git.run("cat-file", "blob", `${commit}:./${name}`), name.slice(git.prefix.length)),
  );
  return (await Promise.all(texts)).flat();
}
