/** Bindings to roles, and pods with service accounts, that are not there. */
import { didYouMean } from "../../../kube/text/nearest-name.ts";
import type { Rule } from "../rule.ts";
import { isRole } from "../roles.ts";
import { listAt, textAt } from "../values.ts";
import { podTemplates } from "../workloads.ts";

/** The role that `tsop manifests` makes of the code; before its first run it is not there. */
const MANAGER_ROLE = /(?:^|-)manager-role$/;
const OF_CLUSTER = /^(?:cluster-admin|admin|edit|view|system:.*)$/;

export const danglingBinding: Rule = {
  name: "dangling-binding",
  about:
    "A binding names a role or a service account that is missing from these manifests, so the permissions are not granted.",
  example: "kind: RoleBinding\nroleRef: { kind: Role, name: manger-role }",
  *find(examined) {
    const { manifests, project } = examined;
    const roles = manifests.filter(isRole);
    const accounts = manifests
      .filter(({ kind }) => kind === "ServiceAccount")
      .map(({ name }) => name);
    for (const manifest of manifests.filter(({ kind }) => /^(?:Cluster)?RoleBinding$/.test(kind))) {
      const [kind, name] = [
        textAt(manifest.value, ["roleRef", "kind"]),
        textAt(manifest.value, ["roleRef", "name"]),
      ];
      const names = roles.filter((role) => role.kind === kind).map((role) => role.name);
      const isMade = project !== undefined && MANAGER_ROLE.test(name);
      if (names.length > 0 && !names.includes(name) && !OF_CLUSTER.test(name) && !isMade) {
        yield {
          place: manifest.at(["roleRef", "name"]),
          message: `${manifest.kind} ${manifest.name} binds ${kind} ${name}, which is not among these manifests.`,
          fix: didYouMean(name, names, `The manifests have ${names.join(", ")}.`),
        };
      }
      for (const [index, subject] of listAt(manifest.value, ["subjects"]).entries()) {
        const account = textAt(subject, ["name"]);
        const isOurs = textAt(subject, ["kind"]) === "ServiceAccount" && accounts.length > 0;
        if (!isOurs || accounts.includes(account) || account === "default") continue;
        yield {
          place: manifest.at(["subjects", index, "name"]),
          message: `${manifest.kind} ${manifest.name} grants permissions to ServiceAccount ${account}, which is not among these manifests.`,
          fix: didYouMean(account, accounts, `The manifests have ${accounts.join(", ")}.`),
        };
      }
    }
    for (const { manifest, path, spec } of podTemplates(examined)) {
      const account = textAt(spec, ["serviceAccountName"]);
      if (account === "" || accounts.length === 0 || accounts.includes(account)) continue;
      yield {
        place: manifest.at([...path, "spec", "serviceAccountName"]),
        message: `${manifest.kind} ${manifest.name} runs as ServiceAccount ${account}, which is not among these manifests.`,
        fix: didYouMean(account, accounts, `The manifests have ${accounts.join(", ")}.`),
      };
    }
  },
};
