/**
 * The rights that `@Rbac` grants, against the API of a cluster: a slip in a rule grants nothing,
 * and nobody says so.
 */
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../kube/names.ts";
import type { Findings } from "../findings.ts";
import type { BuiltInKind, GrantModel } from "../model.ts";
import { didYouMean } from "../../kube/text/nearest-name.ts";

/**
 * Notes mistakes in grants. @param builtIn - the kinds that every cluster has, asked for when need
 * be
 */
export function checkGrants(
  grants: readonly GrantModel[],
  builtIn: () => readonly BuiltInKind[],
  findings: Findings,
): void {
  for (const grant of grants) {
    const refuse = (message: string, fix: string): void => {
      findings.error(grant.at, "wrong-rbac", message, fix);
    };
    if (grant.verbs.length === 0) {
      refuse("@Rbac does not grant any verb.", 'List the verbs, such as ["get", "list", "watch"].');
    }
    if (grant.verbs.includes("")) refuse("A verb of @Rbac is empty.", "Remove it.");
    checkTarget(grant, refuse);
    checkUrls(grant, refuse);
    checkPlace(grant, refuse);
    for (const group of grant.groups) checkGroup(group, refuse);
    for (const resource of grant.resources) checkResource(resource, refuse);
    checkBuiltIn(grant, builtIn, findings);
  }
}

type Refuse = (message: string, fix: string) => void;

function checkTarget({ groups, resources, resourceNames, urls }: GrantModel, refuse: Refuse): void {
  if (urls.length > 0 && (resources.length > 0 || groups.length > 0 || resourceNames.length > 0)) {
    refuse(
      "@Rbac names resources and urls in one rule, which the API server refuses.",
      "Write two markers: one for the resources, one for the urls.",
    );
  } else if (resources.length > 0 && groups.length === 0) {
    refuse(
      "@Rbac names resources without their groups, which the API server refuses.",
      'Add groups: [""] for the core group, or groups: ["apps"] and the like.',
    );
  }
}

function checkUrls({ urls, namespace }: GrantModel, refuse: Refuse): void {
  for (const url of urls) {
    if (url === "*" || (/^\/[^\s?#]*$/.test(url) && !url.slice(0, -1).includes("*"))) continue;
    refuse(
      `"${url}" is not a URL path, so the rule grants nothing.`,
      url.includes("*")
        ? 'Put the "*" at the end: "/metrics/*".'
        : `Begin it with "/", without host and query: "/${url.replace(/^[^/]*:\/\/[^/]*/, "").replace(/^\/+/, "")}".`,
    );
  }
  if (urls.length > 0 && namespace !== "") {
    refuse("A Role of one namespace cannot grant urls.", "Leave out the namespace.");
  }
}

function checkPlace({ namespace, roleName }: GrantModel, refuse: Refuse): void {
  if (namespace !== "" && dns1123LabelErrors(namespace).length > 0) {
    refuse(
      `"${namespace}" is not a valid name of a namespace.`,
      "Use lower-case letters, digits and dashes.",
    );
  }
  if (/[/%]/.test(roleName) || roleName === "." || roleName === "..") {
    refuse(`"${roleName}" is not a valid name of a role.`, 'Leave out "/" and "%".');
  }
}

function checkGroup(group: string, refuse: Refuse): void {
  if (group === "" || group === "*" || dns1123SubdomainErrors(group).length === 0) return;
  const [name = ""] = group.split("/");
  refuse(
    `"${group}" is not a valid API group.`,
    group.includes("/")
      ? `Leave out the version: "${/^v\d/.test(name) ? "" : name}".`
      : 'Use the group\'s name, such as "apps"; the core group is "".',
  );
}

const RESOURCE = /^(?:\*|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?:\/(?:\*|[a-z0-9][a-zA-Z0-9/-]*))?$/;

function checkResource(resource: string, refuse: Refuse): void {
  if (RESOURCE.test(resource)) return;
  refuse(
    `"${resource}" is not the name of a resource, so the rule grants nothing.`,
    'Write its plural in lower case, such as "pods", or "pods/log" for a subresource.',
  );
}

/** Notes resources that are not in the built-in groups for which they are granted. */
function checkBuiltIn(
  { groups, resources, at }: GrantModel,
  builtIn: () => readonly BuiltInKind[],
  findings: Findings,
): void {
  for (const group of groups) {
    if (group === "*" || (group.includes(".") && !group.endsWith(".k8s.io"))) continue;
    const kinds = builtIn();
    const name = group === "core" ? "" : group;
    const known = kinds.filter((kind) => kind.group === name).map(({ plural }) => plural);
    if (known.length === 0) continue;
    for (const resource of resources) {
      const [plural = ""] = resource.split("/");
      if (plural === "*" || !RESOURCE.test(resource) || known.includes(plural)) continue;
      // One rule may name kinds of several groups.
      const elsewhere = kinds.filter((kind) => kind.plural === plural).map((kind) => kind.group);
      if (
        elsewhere.some(
          (other) => groups.includes(other) || (other === "" && groups.includes("core")),
        )
      )
        continue;
      const shown = name === "" ? "The core group" : `The group ${name}`;
      const [other] = elsewhere;
      findings[other === undefined ? "warn" : "error"](
        at,
        other === undefined ? "unknown-resource" : "wrong-rbac",
        `${shown} has no resource ${plural}, so the rule grants nothing.`,
        other === undefined
          ? didYouMean(plural, known, "Keep it if your cluster's version has it.")
          : `${plural} are in ${other === "" ? 'the core group: groups: [""]' : `the group ${other}: groups: ["${other}"]`}.`,
      );
    }
  }
}
