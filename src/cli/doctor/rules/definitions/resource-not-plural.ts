/** Roles that name a kind where its plural belongs. */
import { didYouMean } from "../../../../kube/text/nearest-name.ts";
import type { Examined, Rule } from "../../rule.ts";
import { isRole, rulesOf } from "../../roles.ts";
import { textsAt } from "../../values.ts";
import { tableOf } from "../../../../table.ts";

const BUILT_IN = tableOf<string>({
  pod: "pods",
  service: "services",
  configmap: "configmaps",
  secret: "secrets",
  event: "events",
  namespace: "namespaces",
  node: "nodes",
  serviceaccount: "serviceaccounts",
  persistentvolumeclaim: "persistentvolumeclaims",
  persistentvolume: "persistentvolumes",
  deployment: "deployments",
  statefulset: "statefulsets",
  daemonset: "daemonsets",
  replicaset: "replicasets",
  job: "jobs",
  cronjob: "cronjobs",
  ingress: "ingresses",
  networkpolicy: "networkpolicies",
  lease: "leases",
  role: "roles",
  rolebinding: "rolebindings",
  clusterrole: "clusterroles",
  clusterrolebinding: "clusterrolebindings",
  customresourcedefinition: "customresourcedefinitions",
});

export const resourceNotPlural: Rule = {
  name: "resource-not-plural",
  about:
    "A role names a kind or its singular, but RBAC compares the plural from URLs. The permission is not granted, and every request is forbidden.",
  example: "rules:\n- apiGroups: [example.com]\n  resources: [configmonitor]\n  verbs: [get]",
  *find(examined) {
    for (const manifest of examined.manifests.filter(isRole)) {
      for (const [index, rule] of rulesOf(manifest).entries()) {
        for (const [at, resource] of textsAt(rule, ["resources"]).entries()) {
          const [name = "", ...rest] = resource.split("/");
          const plural = pluralMeant(examined, textsAt(rule, ["apiGroups"]), name);
          if (plural === undefined) continue;
          yield {
            place: manifest.at(["rules", index, "resources", at]),
            message: `${manifest.kind} ${manifest.name} grants permissions to ${resource}, which is not a resource. RBAC compares plurals.`,
            fix: `Write ${[plural, ...rest].join("/")}.`,
          };
        }
      }
    }
  },
};

function pluralMeant(
  { customKinds }: Examined,
  groups: readonly string[],
  name: string,
): string | undefined {
  const own = customKinds.filter(({ group }) => groups.includes(group) || groups.includes("*"));
  if (own.some(({ plural }) => plural === name)) return undefined;
  const meant = own.find(
    ({ kind, singular }) => name === singular || name.toLowerCase() === kind.toLowerCase(),
  );
  if (meant) return meant.plural;
  if (own.length > 0 && groups.length === 1) {
    const guess = /Did you mean (.+)\?/.exec(
      didYouMean(
        name,
        own.map(({ plural }) => plural),
        "",
      ),
    )?.[1];
    if (guess !== undefined) return guess;
  }
  return BUILT_IN.get(name.toLowerCase());
}
