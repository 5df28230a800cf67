/** The list of `config/rbac`, which is the user's, and the generated roles in it. */
import { join } from "node:path";
import { CERTIFICATE_ROLES, CONVERSION_ROLES, USER_ROLES } from "../../generator/stamp.ts";
import { readIfThere } from "./plan.ts";
import { withListEntry, withoutListEntry } from "./yaml/user-yaml.ts";

const LIST = "config/rbac/kustomization.yaml";

/**
 * The list as it has to be, by its path: roles for users, for certificates and for conversions are in it while there are some. Nothing
 * where the project has no such list, or where it is right.
 *
 * @throws TsopError `broken-yaml` with the position
 */
export async function listOfRoles(
  root: string,
  files: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const text = await readIfThere(join(root, LIST));
  if (text === undefined || files.size === 0) return new Map();
  let after = text;
  for (const path of [USER_ROLES, CERTIFICATE_ROLES, CONVERSION_ROLES]) {
    const edit = files.has(path) ? withListEntry : withoutListEntry;
    after = edit(LIST, after, "resources", path.replace("config/rbac/", ""));
  }
  return after === text ? new Map() : new Map([[LIST, after]]);
}
