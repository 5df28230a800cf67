/** `tsop delete plugin`: deletes a kubectl plugin from the project. */
import { UsageError } from "../../../../errors.ts";
import { paint } from "../../../output.ts";
import { changeProject } from "../../../project/change-project.ts";
import { dialogFor } from "../../../project/conflict-dialog.ts";
import { refuseImporters, requireRemoval } from "../../../project/deletion.ts";
import { PACKAGE_FILE, withoutPrograms } from "../../../project/plugins/package-bin.ts";
import { withoutPlugin, type ProjectPlugin } from "../../../project/project-file.ts";
import { PROJECT_FILE } from "../../../project/project-root.ts";
import type { Run } from "../../../command.ts";
import type { deletePlugin } from "./flags.ts";

/** Deletes a plugin; returns the exit code. */
export const run: Run<typeof deletePlugin> = async (name, options, context) => {
  return changeProject(context, options, async (project, draft) => {
    const plugin = project.plugins.find((one) => one.name === name);
    if (!plugin) throw notThere(name, project.plugins);
    const files = Object.entries(plugin.files).map(([path, digest]) => ({
      path,
      digests: [digest],
    }));
    const { force } = options;
    await requireRemoval(draft, files, { force, dialog: dialogFor(context, options) });
    const notes = await refuseImporters(draft, options);
    await draft.edit(PACKAGE_FILE, (text) => withoutPrograms(text, name));
    draft.set(PROJECT_FILE, withoutPlugin(project, plugin));
    const { bold, yellow } = paint(context);
    return {
      heading: bold(`kubectl ${name}`),
      notes: notes.map((note) => `${yellow("note")} ${note}`),
      next: ["npx tsop build   # removes its programs from dist/plugins"],
    };
  });
};

function notThere(name: string, plugins: readonly ProjectPlugin[]): UsageError {
  return new UsageError(
    "not-in-project",
    `${PROJECT_FILE} has no plugin ${name}.`,
    plugins.length === 0
      ? "The project has no plugins yet."
      : `It has ${plugins.map((one) => one.name).join(", ")}.`,
  );
}
