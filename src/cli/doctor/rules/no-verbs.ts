/** Rules of roles that allow nothing. */
import { isRole, rulesOf } from "../roles.ts";
import type { Rule } from "../rule.ts";

export const noVerbs: Rule = {
  name: "no-verbs",
  about:
    "A rule of a role has no list of verbs, an empty one, or an empty verb. The API server rejects it, or it grants nothing.",
  example: 'rules:\n- apiGroups: [batch]\n  resources: [jobs]\n  verbs: ""',
  *find({ manifests }) {
    for (const manifest of manifests.filter(isRole)) {
      for (const [index, rule] of rulesOf(manifest).entries()) {
        const verbs = rule["verbs"];
        const isList = Array.isArray(verbs) && verbs.length > 0 && !verbs.includes("");
        if (isList) continue;
        const isText = typeof verbs === "string" && verbs !== "";
        yield {
          place: manifest.at(["rules", index, "verbs"]),
          message: `${manifest.kind} ${manifest.name} has a rule ${isText ? `whose verbs are the string ${JSON.stringify(verbs)}, not a list` : "without verbs, so it grants nothing"}.`,
          fix: isText
            ? `Write a list: [${verbs}].`
            : "List the verbs that the operator uses, such as [get, list, watch], or remove the rule.",
        };
      }
    }
  },
};
