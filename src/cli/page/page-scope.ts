/** The part of a project that its page is about. Pure. */
import type { ManifestObject } from "../../kube/object.ts";
import { apiGroupOf, type Project } from "../project/project-file.ts";
import type { PageScope } from "./page-model.ts";
import { grantedRights } from "./rights-table.ts";

/** The project's kinds, and the rights that its manifests grant. */
export function scopeOf(project: Project, rendered: readonly ManifestObject[]): PageScope {
  const roots = project.resources.map((resource) => {
    return { group: apiGroupOf(project, resource), kind: resource.kind };
  });
  return { roots, granted: grantedRights(rendered) };
}
