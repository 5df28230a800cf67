/** Roles that allow everything. */
import { isRole, rulesOf } from "../roles.ts";
import type { Rule } from "../rule.ts";
import { textsAt } from "../values.ts";

export const rightsToEverything: Rule = {
  name: "rights-to-everything",
  about:
    "A role allows all verbs on all resources of all groups, so anyone who compromises the operator controls the cluster.",
  example: 'rules:\n- apiGroups: ["*"]\n  resources: ["*"]\n  verbs: ["*"]',
  *find({ manifests }) {
    for (const manifest of manifests.filter(isRole)) {
      for (const [index, rule] of rulesOf(manifest).entries()) {
        const isAll = ["apiGroups", "resources", "verbs"].every((key) =>
          textsAt(rule, [key]).includes("*"),
        );
        if (!isAll) continue;
        yield {
          place: manifest.at(["rules", index]),
          message: `${manifest.kind} ${manifest.name} allows everything.`,
          fix: "List only the resources and verbs that the code uses; `tsop manifests` generates them from the code.",
        };
      }
    }
  },
};
