/** `tsop completion-words`: prints the project's values of a flag for the completion scripts. */
import { findProject, type Project } from "../../project/project-file.ts";
import { tableOf } from "../../../table.ts";
import type { Run } from "../../command.ts";
import type { completionWords } from "./flags.ts";

/** Flags whose values the project knows, without their dashes. */
const OF_PROJECT = tableOf<(project: Project) => readonly string[]>({
  group: ({ resources }) => resources.map(({ group }) => group),
  version: ({ resources }) => resources.map(({ version }) => version),
  kind: ({ resources }) => resources.map(({ kind }) => kind),
  spoke: ({ resources }) => resources.map(({ version }) => version),
});
export const PROJECT_FLAGS = [...OF_PROJECT.keys()];

/** Names of Kubernetes. A shell expands the words of a completion, so that others would be code of the project. */
const WORD = /^[a-z\d][a-z\d.-]*$/i;

/** What the scripts ask `tsop completion-words` for there. */
export const PLUGIN = "plugin";

export const run: Run<typeof completionWords> = async (flag, _options, context) => {
  // A shell that completes has no place for an error.
  const project = await findProject(context.cwd).catch(() => undefined);
  const words = !project
    ? []
    : flag === PLUGIN
      ? project.plugins.map(({ name }) => name)
      : (OF_PROJECT.get(flag)?.(project) ?? []);
  for (const word of new Set(words)) if (WORD.test(word)) context.out(word);
  return 0;
};
