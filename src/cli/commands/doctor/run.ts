/** `tsop doctor`: finds common mistakes in a project or a directory of manifests. */
import { realpath, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { TsopError } from "../../../errors.ts";
import type { CliContext } from "../../context.ts";
import { diagnose, type Diagnosis } from "../../doctor/rules/diagnose.ts";
import { readExamined } from "../../doctor/examine.ts";
import { ExitCode, paint, printJson } from "../../output.ts";
import { findProject, type Project } from "../../project/project-file.ts";
import { projectRootOf } from "../../project/project-root.ts";
import type { Run } from "../../command.ts";
import type { doctor } from "./flags.ts";

export const run: Run<typeof doctor> = async (path, options, context) => {
  const asked = resolve(context.cwd, path ?? ".");
  const isFolder = await stat(asked).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const project = isFolder ? await projectAt(asked) : undefined;
  // Without a path, the project that the folder is in is examined.
  const folder = path === undefined ? (project?.root ?? asked) : asked;
  const isWhole = project !== undefined && (await isSameFolder(project.root, folder));
  // Places are relative to this folder, so that the shell and the editor find the files.
  const base = isFolder ? folder : dirname(folder);
  const reading = await readExamined(folder, {
    ...(isWhole && { project }),
    isScaffolded: isScaffolded(base),
  });
  const found = (await diagnose(reading)).map((one) => ({
    ...one,
    place: relative(context.cwd, join(base, one.place)),
  }));
  const notRendered = reading.notRendered.map(({ file, why }) => ({
    file: relative(context.cwd, join(base, file)),
    why,
  }));
  if (options.output === "json") {
    printJson(context, { found: found.map(positioned), notRendered });
  } else {
    for (const { file, why } of notRendered) {
      const note = `${paint(context).yellow("note")} ${file} cannot be rendered, so its files are checked separately: ${why}`;
      context.err(note);
    }
    print(found, reading.objects, context);
  }
  return found.length === 0 ? ExitCode.ok : ExitCode.failure;
};

/** The project of tsop; one of another tool is a folder of manifests. */
async function projectAt(folder: string): Promise<Project | undefined> {
  try {
    return await findProject(folder);
  } catch (error) {
    if (error instanceof TsopError && error.code === "unknown-layout") return undefined;
    throw error;
  }
}

/** Whether the folder is in a project of tsop, kubebuilder or operator-sdk. */
const isScaffolded = (folder: string): boolean => projectRootOf(folder) !== undefined;

async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map((path) => realpath(path).catch(() => path)),
  );
  return first === second;
}

function print(found: readonly Diagnosis[], objects: number, context: CliContext): void {
  const { bold, yellow, green, dim } = paint(context);
  for (const { place, rule, message, fix } of found) {
    context.out(`${place} ${bold(rule)}: ${message}`);
    context.out(`  ${yellow("fix")} ${fix}`);
  }
  const seen = dim(`in ${objects} ${objects === 1 ? "object" : "objects"}`);
  if (found.length === 0) context.out(`${green("nothing found")} ${seen}`);
  else context.out(`${bold(`${found.length} found`)} ${seen}`);
}

/** A finding with its position in parts, for programs. */
function positioned({ place, rule, message, fix }: Diagnosis): object {
  const [, file = place, line = "1", column = "1"] = /^(.*?):(\d+)(?::(\d+))?$/.exec(place) ?? [];
  return { file, line: Number(line), column: Number(column), rule, message, fix };
}
