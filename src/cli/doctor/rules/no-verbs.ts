/** Rules of roles that allow nothing. */
import { isRole, rulesOf } from "../roles.ts";
import type { Rule } from "../rule.ts";

export const noVerbs: Rule = {
  name: "no-verbs",
  about:
    "A rule of a role has no list of verbs, an empty one, or an empty verb. The API server refuses it, or it allows nothing.",
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
          message: `${manifest.kind} ${manifest.name} has a rule ${isText ? `whose verbs are the text ${JSON.stringify(verbs)}, not a list` : "without verbs: it allows nothing"}.`,
          fix: isText
            ? `Write a list: [${verbs}].`
            : "Name what the operator does, such as [get, list, watch], or take the rule out.",
        };
      }
    }
  },
};
