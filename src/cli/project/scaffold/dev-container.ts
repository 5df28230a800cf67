/**
 * The container in which editors open a project, for those who asked for it: Node, kubectl and helm, without privileges.
 */
import type { Project } from "../project-file.ts";
import { renderTemplates } from "./scaffold.ts";

/** The file that editors look for. */
export const DEV_CONTAINER = ".devcontainer/devcontainer.json";

/** The file, by its path. */
export function devContainerFiles({
  root,
  projectName,
}: Pick<Project, "root" | "projectName">): Promise<Map<string, string>> {
  return renderTemplates({ root, template: "dev-container", values: { projectName } });
}
