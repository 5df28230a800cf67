/** `tsop validate`: checks manifests as an API server would, without a cluster. */
import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { UsageError } from "../../../errors.ts";
import { isJsonObject } from "../../../kube/json.ts";
import { dns1123LabelErrors } from "../../../kube/names.ts";
import type { JsonObject } from "../../../kube/object.ts";
import type { CliContext } from "../../context.ts";
import { readFiles } from "../../doctor/examine.ts";
import { manifestsIn } from "../../doctor/read-manifests.ts";
import type { Found, Manifest } from "../../doctor/rule.ts";
import { EXTERNAL_CRDS } from "../../project/installed.ts";
import { ExitCode, paint, printJson } from "../../output.ts";
import { findProject } from "../../project/project-file.ts";
import { readDocuments } from "../../project/yaml/yaml-documents.ts";
import { yamlFilesAt } from "../../project/yaml/yaml-files.ts";
import { judge, type Judgement } from "../../validate/judge.ts";
import { present } from "../../../present.ts";
import type { Run } from "../../command.ts";
import type { validate } from "./flags.ts";

/** The manifests that were read, and the files that could not be. */
interface Read {
  readonly manifests: readonly Manifest[];
  readonly unreadable: readonly Found[];
}

export const run: Run<typeof validate> = async (paths, options, context) => {
  const [mistake] = dns1123LabelErrors(options.namespace);
  if (mistake !== undefined) {
    throw new UsageError(
      "wrong-namespace",
      `"${options.namespace}" cannot be a namespace: ${mistake}.`,
      "Give the name of a namespace, such as --namespace shop.",
    );
  }
  const read = await Promise.all(paths.map((path) => readPath(path, context)));
  const manifests = read.flatMap((one) => one.manifests);
  const unreadable = read.flatMap((one) => one.unreadable);
  if (manifests.length + unreadable.length === 0) {
    throw new UsageError(
      "nothing-to-validate",
      `There is no object in ${paths.join(", ")}.`,
      "Name files of YAML or JSON with objects that have apiVersion and kind, folders with such files, or - for standard input.",
    );
  }
  const judgements = await judge({
    manifests,
    definitions: await definitionsOfProject(context.cwd),
    namespace: options.namespace,
  });
  if (options.output === "json") printJson(context, asJson(judgements, unreadable));
  else print(judgements, unreadable, context);
  const isGood = unreadable.length === 0 && judgements.every(({ accepted }) => accepted);
  return isGood ? ExitCode.ok : ExitCode.failure;
};

/** Reads standard input, a file or a folder; places are as the shell knows them. */
async function readPath(path: string, context: CliContext): Promise<Read> {
  if (path === "-") {
    const { text } = await import("node:stream/consumers");
    const read = manifestsIn(await text(process.stdin), "-");
    return Array.isArray(read)
      ? { manifests: read.filter(isObject), unreadable: [] }
      : { manifests: [], unreadable: [read] };
  }
  const asked = resolve(context.cwd, path);
  const { manifests, unreadable } = await readFiles(asked);
  const isFolder = await stat(asked).then((found) => found.isDirectory());
  const base = isFolder ? asked : dirname(asked);
  const shown = (place: string): string => relative(context.cwd, join(base, place));
  return {
    manifests: manifests.map((manifest) => ({
      ...manifest,
      file: shown(manifest.file),
      at: (steps) => shown(manifest.at(steps)),
    })),
    unreadable: unreadable.map((one) => ({ ...one, place: shown(one.place) })),
  };
}

const isObject = ({ apiVersion, kind }: Manifest): boolean => apiVersion !== "" && kind !== "";

/** The CRDs of the project that the folder is in, and those of others that it uses. */
async function definitionsOfProject(cwd: string): Promise<readonly JsonObject[]> {
  const project = await findProject(cwd);
  if (!project) return [];
  const folders = await Promise.all(
    ["config/crd/bases", EXTERNAL_CRDS].map((folder) => yamlFilesAt(join(project.root, folder))),
  );
  const files = folders.flatMap((paths) => paths ?? []);
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return texts
    .flatMap((text, index) => readDocuments(text, relative(cwd, files[index] ?? "")))
    .filter(isJsonObject);
}

const nameOf = ({ manifest: { kind, name, namespace } }: Judgement): string =>
  [kind, namespace === "" ? name : `${namespace}/${name}`].join(" ").trim();

function print(
  judgements: readonly Judgement[],
  unreadable: readonly Found[],
  context: CliContext,
): void {
  const { bold, yellow, green, dim } = paint(context);
  for (const { place, message } of unreadable) context.out(`${place} ${message}`);
  for (const judgement of judgements) {
    const { causes, warnings, manifest } = judgement;
    for (const { place, field, message } of causes) {
      const at = field === undefined ? "" : `${field}: `;
      context.out(`${place} ${bold(nameOf(judgement))}: ${at}${message}`);
    }
    for (const warning of warnings) {
      context.out(`${manifest.at([])} ${bold(nameOf(judgement))}: ${yellow("warning")} ${warning}`);
    }
  }
  const refused = judgements.filter(({ accepted }) => !accepted).length;
  const all = `${judgements.length} ${judgements.length === 1 ? "object" : "objects"}`;
  if (unreadable.length > 0) {
    const files = unreadable.length === 1 ? "file" : "files";
    context.out(bold(`${unreadable.length} ${files} cannot be read`));
  }
  if (refused > 0) context.out(bold(`${refused} of ${all} would be refused`));
  else if (judgements.length > 0) context.out(`${green("accepted")} ${dim(all)}`);
}

/** The report for programs: each object with its position, its errors, and the form in which it would be stored. */
function asJson(judgements: readonly Judgement[], unreadable: readonly Found[]): object {
  return {
    objects: judgements.map(({ manifest, accepted, reason, causes, warnings, stored }) => ({
      ...positioned(manifest.at([])),
      apiVersion: manifest.apiVersion,
      kind: manifest.kind,
      ...(manifest.namespace !== "" && { namespace: manifest.namespace }),
      name: manifest.name,
      accepted,
      ...present({ reason }),
      causes: causes.map(({ place, field, message }) => ({
        ...positioned(place),
        ...present({ field }),
        message,
      })),
      warnings,
      ...(stored && { stored }),
    })),
    unreadable: unreadable.map(({ place, message }) => ({ ...positioned(place), message })),
  };
}

function positioned(place: string): object {
  const [, file = place, line = "1", column = "1"] = /^(.*?):(\d+)(?::(\d+))?$/.exec(place) ?? [];
  return { file, line: Number(line), column: Number(column) };
}
