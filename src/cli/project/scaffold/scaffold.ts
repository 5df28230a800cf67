/**
 * Renders templates to files, and decides about files that are there already.
 *
 * A folder under `templates/` mirrors the tree that it becomes; paths are templates too. The files
 * are staged in yeoman's memory file system, whose dry run says which of them are new, equal or in
 * conflict. Nothing is written here: the result goes into a plan.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { InternalError, UsageError } from "../../../errors.ts";
import type { ConflictDialog } from "../conflict-dialog.ts";
import { packageRoot } from "../../package-info.ts";
import { readIfThere } from "../plan.ts";

/** The templates, their values, and the treatment of files that differ. */
export interface ScaffoldRequest {
  readonly root: string;
  /** A folder of `templates/`. */
  readonly template: string;
  readonly values: object;
  /** Files from other templates that belong to the same scaffold, by path. */
  readonly beside?: ReadonlyMap<string, string>;
  /** Whether a template's file is wanted, by its path in the project. */
  readonly wants?: (path: string) => boolean;
  /**
   * `keep`: the user's file stays. `overwrite`: the template wins. Otherwise the user is asked; without a terminal it is
   * a `UsageError`.
   */
  readonly ifExists: "keep" | "overwrite" | { readonly dialog: ConflictDialog | undefined };
}

/** The files to write, by path; what is to stay as it is, is not in it. */
export async function scaffold(request: ScaffoldRequest): Promise<Map<string, string>> {
  const { root, ifExists } = request;
  const rendered = new Map([...(await renderTemplates(request)), ...(request.beside ?? [])]);
  if (ifExists === "overwrite") return rendered;
  const conflicts = await findConflicts(root, rendered);
  if (conflicts.length === 0) return rendered;
  if (ifExists !== "keep" && !ifExists.dialog) {
    throw new UsageError(
      "file-exists",
      `${conflicts.join(", ")} ${conflicts.length === 1 ? "is" : "are"} already there, with other content.`,
      "Use an empty folder, move the files away, or overwrite them with --force; nothing was written.",
    );
  }
  for (const path of conflicts) {
    const [before, after] = [await readIfThere(join(root, path)), rendered.get(path)];
    const isKept =
      ifExists === "keep" || (await ifExists.dialog?.ask({ path, before, after })) === "skip";
    if (isKept) rendered.delete(path);
  }
  return rendered;
}

/** The files that the templates become, by path. */
export async function renderTemplates(
  request: Omit<ScaffoldRequest, "ifExists" | "beside">,
): Promise<Map<string, string>> {
  const { Handlebars } = await import("../../vendor/scaffold-tools.ts");
  // An instance of our own: nothing that others register can leak in.
  const engine = Handlebars.create();
  engine.registerHelper("json", (value: unknown) => JSON.stringify(value));
  // kubectl reads YAML 1.1, where a bare `on` is a boolean and `1e3` a number.
  engine.registerHelper("yaml", (value: string) =>
    stringify(value, { compat: "yaml-1.1" }).trimEnd(),
  );
  const render = (source: string): string =>
    engine.compile(source, { noEscape: true, strict: true })(request.values);
  const folder = join(packageRoot(), "templates", request.template);
  const files = new Map<string, string>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".hbs"))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  if (paths.length === 0) throw new InternalError(`There are no templates in ${folder}.`);
  for (const path of paths) {
    const target = render(path.slice(0, -".hbs".length)).replaceAll("\\", "/");
    if (request.wants && !request.wants(target)) continue;
    files.set(target, render(await readFile(join(folder, path), "utf8")));
  }
  return files;
}

/** The paths that are on the disk with other content. */
async function findConflicts(
  root: string,
  files: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const { createEnv, createEditor, commitSharedFsTask } =
    await import("../../vendor/scaffold-tools.ts");
  const conflicts: string[] = [];
  const ignore = (): void => undefined;
  const log = Object.assign(ignore, {
    conflict: (path: string) => conflicts.push(path.replaceAll("\\", "/")),
    ...Object.fromEntries(
      "create force identical skip info writeln write colored ok error invoke update warn"
        .split(" ")
        .map((name) => [name, ignore]),
    ),
  });
  const adapter = {
    log,
    prompt: () => Promise.reject(new InternalError("The scaffold's dry run asked a question.")),
    queue: (task: (adapter: unknown) => unknown) => task(adapter),
    progress: (task: (progress: unknown) => unknown) => task({ step: ignore }),
    close: ignore,
  };
  const env = createEnv({ cwd: root, logCwd: root, adapter: adapter as never });
  const editor = createEditor(env.sharedFs as never);
  for (const [path, content] of files) editor.write(join(root, path), content);
  env.conflicterOptions = { cwd: root, dryRun: true };
  await commitSharedFsTask(env as never);
  // The dry run compares modes as well; only content counts here.
  const differing: string[] = [];
  for (const path of conflicts) {
    if ((await readIfThere(join(root, path))) !== files.get(path)) differing.push(path);
  }
  return differing;
}
