/** The findings of `tsop manifests` in the code of a project, and whether the files that it wrote are up to date. */
import { isGenerated, leftOvers } from "../../../generator/stamp.ts";
import { join } from "node:path";
import { Draft } from "../../project/draft.ts";
import { listsWithPatches } from "../../project/parts.ts";
import { readIfThere } from "../../project/plan.ts";
import type { Rule } from "../rule.ts";

export const code: Rule = {
  name: "code",
  about:
    "The code of a tsop project has an error that `tsop manifests` reports, such as a request that the role does not permit.",
  example:
    "await client.create(ConfigMap, settings); // without an @Rbac for configmaps, and `rbac: markers` in PROJECT",
  async find(examined) {
    const diagnostics = (await examined.generated?.())?.diagnostics ?? [];
    return diagnostics.map(({ file, line, column, code: name, message, fix }) => ({
      place: `${file}:${line}:${column}`,
      message: `${name}: ${message}`,
      fix,
    }));
  },
};

export const generatedOutOfDate: Rule = {
  name: "generated-out-of-date",
  about:
    "A CRD, role, or webhook configuration of a tsop project does not match the code, so an outdated object would be deployed.",
  example: "# config/crd/bases is older than the class that it is generated from",
  async find(examined) {
    const generated = (await examined.generated?.())?.files ?? new Map<string, string>();
    const draft = new Draft(examined.root);
    const files = new Map([...generated, ...(await listsWithPatches(draft, generated))]);
    const found = [];
    for (const [path, text] of files) {
      const live = await readIfThere(join(examined.root, path));
      const isOwn = live !== undefined && !isGenerated(live);
      // A file that was never generated is made by the next command that needs it.
      if (live === undefined || isOwn || live.replaceAll("\r\n", "\n") === text) continue;
      found.push({
        place: `${path}:1:1`,
        message: "The file does not match the code.",
        fix: "Run `npx tsop manifests`, and commit the changes.",
      });
    }
    for (const path of files.size > 0 ? leftOvers(examined.root, files) : []) {
      found.push({
        place: `${path}:1:1`,
        message: "The file was generated from a class that no longer exists.",
        fix: "Run `npx tsop manifests`, which removes it.",
      });
    }
    return found;
  },
};
