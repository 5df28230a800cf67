/**
 * The rights that the code needs, against those that its `@Rbac` markers grant.
 *
 * A call without its right fails in the cluster and nowhere else, so that it is an error. A right that only some
 * clusters or some moments need is a warning, and so is one that nothing uses: it may be meant for code that is not
 * read here. So is a kind that goes where it cannot be followed: the role may lack what is done with it there.
 */
import { rbacMarker } from "../../kube/needed-rights.ts";
import { OPERATOR_NAMESPACE } from "../../kube/webhooks/webhook-marks.ts";
import type { Findings } from "../findings.ts";
import type {
  BuiltInKind,
  GrantModel,
  ProjectModel,
  UnclearModel,
  UseModel,
  UsesModel,
} from "../model.ts";

/**
 * Notes what cannot be read from the code; where markers write the rights, also calls without a right and rights without
 * a call.
 *
 * @param markersOnly - the role is what the markers say, and nothing of what the code does
 */
export function checkRights(
  { grants, uses }: ProjectModel,
  markersOnly: boolean,
  findings: Findings,
): void {
  for (const unclear of uses.unclear) reportUnclear(unclear, grants, uses, findings);
  if (!markersOnly) return;
  const told = new Set<string>();
  const demanded = uses.uses.filter(({ unlessGranted }) => unlessGranted === undefined);
  const advised = uses.uses.filter(({ unlessGranted }) => unlessGranted === "warning");
  // The errors first: what is told once is not told again.
  for (const use of [...demanded, ...advised]) reportGap(use, grants, told, findings);
  if (uses.uses.length === 0) return;
  for (const grant of grants) reportSurplus(grant, uses, findings);
}

/**
 * The rights of what the code does, and those that markers add.
 *
 * @param project - whose operator has a Role of its own namespace when it is namespaced, and beside it a ClusterRole for
 *   kinds that are in no namespace
 * @param builtIn - the kinds that every cluster has, asked for when need be
 */
export function inferredGrants(
  { grants, uses, kinds, externalKinds }: ProjectModel,
  project: { readonly namespaced: boolean } | undefined,
  builtIn: () => readonly BuiltInKind[],
): readonly GrantModel[] {
  const isOfCluster = (group: string, resource: string): boolean => {
    const [plural] = resource.split("/");
    const isMeant = (kind: { group: string; plural: string }): boolean =>
      kind.group === group && kind.plural === plural;
    const known = [...kinds, ...externalKinds].find(isMeant);
    return known ? known.scope === "Cluster" : builtIn().find(isMeant)?.namespaced === false;
  };
  const inferred = uses.uses.map(({ group, resource, verbs, names = [], at }) => ({
    groups: group === undefined ? [] : [group],
    resources: group === undefined ? [] : [resource],
    resourceNames: names,
    urls: group === undefined ? [resource] : [],
    // The right to list and watch serves for reading one object as well.
    verbs: verbs.includes("list") ? ["get", ...verbs] : verbs,
    namespace:
      project?.namespaced && group !== undefined && !isOfCluster(group, resource)
        ? OPERATOR_NAMESPACE
        : "",
    roleName: "",
    at,
  }));
  return [...inferred, ...grants];
}

function reportGap(
  use: UseModel,
  grants: readonly GrantModel[],
  told: Set<string>,
  findings: Findings,
): void {
  const { group, resource, token, shown, at, names = [] } = use;
  const keyOf = (verb: string): string => `${resource}.${group ?? ""} ${names.join(" ")} ${verb}`;
  const missing = use.verbs.filter(
    (verb) =>
      !told.has(keyOf(verb)) &&
      !grants.some((grant) => covers(grant, group, resource) && allows(grant, verb, names)),
  );
  if (missing.length === 0) return;
  for (const verb of missing) told.add(keyOf(verb));
  const verbs = missing.map((verb) => `"${verb}"`).join(", ");
  if (group === undefined) {
    findings.error(
      at,
      "right-missing",
      `${shown} needs permission to ${missing.join(" and ")} ${resource}, but no @Rbac grants it.`,
      `Add @Rbac({ urls: [${JSON.stringify(resource)}], verbs: [${verbs}] }) to the controller.`,
    );
    return;
  }
  const [plural = "", subresource] = resource.split("/");
  const scope = subresource === undefined ? "" : `, { subresource: "${subresource}" }`;
  const line =
    token === ""
      ? rbacMarker(group, resource, missing, names)
      : `@Rbac(${token}, [${verbs}]${scope})`;
  const name = group === "" ? plural : `${plural}.${group}`;
  const target = subresource === undefined ? name : `the ${subresource} of ${name}`;
  findings[use.unlessGranted === "warning" ? "warn" : "error"](
    at,
    "right-missing",
    `${shown} needs permission to ${missing.join(" and ")} ${target}, but no @Rbac grants it.`,
    `Add ${line} to the controller.`,
  );
}

/**
 * Notes rights that may be missing: a kind or a call that could not be followed, and that no marker
 * covers.
 */
function reportUnclear(
  { kind, suffix, verbs, shown, because, at }: UnclearModel,
  grants: readonly GrantModel[],
  uses: UsesModel,
  findings: Findings,
): void {
  if (kind) {
    const { group, plural, token } = kind;
    if (grants.some((grant) => covers(grant, group, plural))) return;
    const marker =
      token === ""
        ? `@Rbac({ groups: ["${group}"], resources: ["${plural}"], verbs: [...] })`
        : `@Rbac(${token}, [...])`;
    findings.warn(
      at,
      "right-unclear",
      `The role might be missing permissions for ${shown}: tsop cannot follow how it is used here.`,
      `Add ${marker} to the controller, with the verbs that it uses.`,
    );
    return;
  }
  if (grants.some((grant) => isForUnclear(grant, suffix, verbs, uses))) return;
  if (because !== undefined) {
    findings.warn(
      at,
      "right-unclear",
      verbs.length > 0
        ? `The role might be missing permission to ${verbs.join(" and ")} for ${shown}: ${because}.`
        : `The role might be missing permissions for ${shown}: ${because}.`,
      `Add @Rbac({ groups: [...], resources: [...], verbs: [${verbs.length > 0 ? verbs.map((verb) => JSON.stringify(verb)).join(", ") : "..."}] }) with what it needs to the controller.`,
    );
    return;
  }
  findings.warn(
    at,
    "right-unclear",
    `The role might be missing permission to ${verbs.join(" and ")}: tsop cannot determine the kind of ${shown} here.`,
    `Add @Rbac(<the kind>, [${verbs.map((verb) => `"${verb}"`).join(", ")}]) to the controller for every kind that it can be.`,
  );
}

/** Whether a marker grants what no call needs that was followed: it is there for one that was not. */
function isForUnclear(
  grant: GrantModel,
  suffix: string,
  verbs: readonly string[],
  { uses }: UsesModel,
): boolean {
  if (grant.urls.length > 0 || !verbs.every((verb) => allows(grant, verb))) return false;
  return grant.resources.some((resource) => {
    const [, below] = resource.split("/");
    const fits = suffix === "/*" ? below !== undefined : suffix === (below ? `/${below}` : "");
    if (resource === "*") return true;
    const isUsed = verbs.every((verb) =>
      uses.some((use) => use.resource === resource && use.verbs.includes(verb)),
    );
    return (fits || below === "*") && !isUsed;
  });
}

function reportSurplus(grant: GrantModel, uses: UsesModel, findings: Findings): void {
  const { groups, resources, urls, verbs, roleName, at } = grant;
  if (urls.length > 0 || roleName !== "" || verbs.includes("*") || uses.dynamic) return;
  for (const group of groups) {
    for (const resource of resources) {
      if (group === "*" || resource.includes("*") || isBeyondCode(group, resource, uses)) continue;
      const used = usedVerbs(group, resource, uses);
      for (const unclear of uses.unclear) for (const verb of unclear.verbs) used.add(verb);
      const unused = verbs.filter((verb) => COMPARED.has(verb) && !used.has(verb));
      if (unused.length === 0) continue;
      findings.warn(
        at,
        "right-unused",
        `Unused permission: nothing calls ${unused.join(", ")} ${resource}${group === "" ? "" : `.${group}`}.`,
        unused.length === verbs.length && resources.length === 1
          ? "Remove the @Rbac, or leave it for code outside of this project."
          : `Remove ${unused.map((verb) => `"${verb}"`).join(", ")} from its verbs.`,
      );
    }
  }
}

/** The verbs of calls; others (`bind`, `use`, `impersonate`) are used without one. */
const COMPARED = new Set("get list watch create update patch delete deletecollection".split(" "));

/** The verbs that come together: an operator that reads through the cache may read without it. */
const READS = ["get", "list", "watch"];

function usedVerbs(group: string, resource: string, { uses }: UsesModel): Set<string> {
  const used = new Set(
    uses
      .filter((use) => use.group === group && use.resource === resource)
      .flatMap(({ verbs }) => verbs),
  );
  const reads = READS.some((verb) => used.has(verb)) || (resource.includes("/") && used.size > 0);
  if (reads) for (const verb of READS) used.add(verb);
  return used;
}

/** Whether a right is used by code that calls do not show. */
function isBeyondCode(group: string, resource: string, uses: UsesModel): boolean {
  const [plural = "", subresource] = resource.split("/");
  if (uses.escaped.has(`${plural}.${group}`)) return true;
  // The finalizers of owners whose children block deletion; the lease and the events of leader
  // election.
  if (subresource === "finalizers") return true;
  if (subresource === "status" && uses.unknownStatus) return true;
  if (plural === "events") return uses.records || uses.elects;
  return plural === "leases" && uses.elects;
}

/**
 * Whether a grant allows a verb. One for some names does not where there is no name yet, or any
 * name is meant.
 */
function allows(
  { verbs, resourceNames }: GrantModel,
  verb: string,
  names: readonly string[] = [],
): boolean {
  if (!verbs.includes(verb) && !verbs.includes("*")) return false;
  if (resourceNames.length === 0) return true;
  return names.length > 0
    ? names.every((name) => resourceNames.includes(name))
    : verb !== "create" && verb !== "deletecollection";
}

function covers(grant: GrantModel, group: string | undefined, resource: string): boolean {
  const { groups, resources, urls } = grant;
  if (group === undefined) return urls.some((url) => isBelowUrl(resource, url));
  if (urls.length > 0) return false;
  const [plural = "", subresource] = resource.split("/");
  return (
    groups.some((name) => name === group || name === "*" || (name === "core" && group === "")) &&
    resources.some(
      (name) =>
        name === resource ||
        name === "*" ||
        (subresource !== undefined && (name === `*/${subresource}` || name === `${plural}/*`)),
    )
  );
}

const isBelowUrl = (path: string, url: string): boolean =>
  url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1)));
