/**
 * The target of a scaffolded controller or webhook: a class of the project, found by group, version
 * and kind, or a kind of Kubernetes itself.
 */
import { UsageError } from "../../../errors.ts";
import type { KindClass } from "../../../generator/find-classes.ts";
import { builtInKinds, isGroup } from "./built-in-kinds.ts";
import { apiGroupOf, type Project, type ProjectResource } from "../project-file.ts";

/** A kind that was asked for and is there already. */
export interface AskedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The end of the group, where it is not the project's domain. */
  readonly externalApiDomain?: string;
  /** The file of the class, in the project. */
  readonly externalApiPath?: string;
  /** The thing that is scaffolded for it. */
  readonly purpose: "controller" | "webhook" | "plugin";
}

/** The kind of a controller, and where its token comes from. */
export interface ApiTarget {
  readonly resource: ProjectResource;
  /** The name of the class, or of the export of `tsop/k8s`. */
  readonly token: string;
  /** The class's file in the project; absent for a kind of `tsop/k8s`. */
  readonly file?: string;
  readonly namespaced: boolean;
}

/**
 * The kind in the project's own classes, then in those of the group as it was given, then in Kubernetes.
 *
 * @throws UsageError `no-class` where it is in none of them; `not-external`
 */
export async function findTarget(
  project: Project,
  classes: readonly KindClass[],
  asked: AskedKind,
): Promise<ApiTarget> {
  const { group, version, kind, externalApiDomain, externalApiPath } = asked;
  const path = externalApiPath?.replaceAll("\\", "/").replace(/^\.\//, "");
  const find = (apiGroup: string): KindClass | undefined =>
    classes.find(
      (known) =>
        known.group === apiGroup &&
        known.version === version &&
        known.kind === kind &&
        (path === undefined || known.file === path),
    );
  if (externalApiDomain !== undefined || path !== undefined) {
    const apiGroup = [group, externalApiDomain ?? ""].filter((part) => part !== "").join(".");
    const found = find(apiGroup);
    if (!found) throw noClass(asked, [apiGroup]);
    if (!found.external) throw notExternal(found);
    return targetOf(project, found);
  }
  const own = apiGroupOf(project, { group });
  const found = find(own) ?? find(group);
  if (found) return targetOf(project, found);
  const builtIn = await builtInKinds(kind);
  const wanted = builtIn.find((known) => known.version === version && isGroup(group, known.group));
  if (wanted) {
    const { plural, namespaced, token } = wanted;
    const resource = {
      group: wanted.group,
      domain: "",
      version,
      kind,
      plural,
      core: true as const,
    };
    return { resource: { ...resource, api: false, controller: true }, token, namespaced };
  }
  const groups = group.includes(".") ? [group, own] : [own];
  const elsewhere = builtIn.map(
    (known) => `--group ${known.group || "core"} --version ${known.version}`,
  );
  throw noClass(asked, groups, elsewhere);
}

function targetOf(project: Project, found: KindClass): ApiTarget {
  const { version, kind, plural, namespaced, className, file, external } = found;
  const resource: ProjectResource = {
    ...groupOf(project, found.group),
    version,
    kind,
    plural,
    api: !external,
    controller: true,
    ...(external ? { external } : {}),
  };
  return { resource, token: className, file, namespaced };
}

/** An API group as `PROJECT` has it: without the domain where it ends in it, else whole. */
function groupOf({ domain }: Project, apiGroup: string): { group: string; domain?: "" } {
  if (apiGroup === domain) return { group: "" };
  if (apiGroup.endsWith(`.${domain}`)) return { group: apiGroup.slice(0, -domain.length - 1) };
  return { group: apiGroup, domain: "" };
}

function notExternal({ className, file, group }: KindClass): UsageError {
  return new UsageError(
    "not-external",
    `${className} in ${file} is a kind of this project: its @Resource does not declare ${group} as external.`,
    "Add external: true to it if the CRD belongs to another project, or omit the --external-api flags.",
  );
}

function noClass(
  { group, version, kind, externalApiPath, purpose }: AskedKind,
  groups: readonly string[],
  elsewhere: readonly string[] = [],
): UsageError {
  const names = groups.map((group) => `${group}/${version}`).join(" or ");
  const where = externalApiPath === undefined ? "the project" : externalApiPath;
  const named = `${group === "" ? "" : `--group ${group} `}--version ${version} --kind ${kind}`;
  return new UsageError(
    "no-class",
    purpose === "controller"
      ? `--no-resource scaffolds the controller of an existing kind, but ${where} has no class of ${kind} in ${names}.`
      : `A ${purpose} needs an existing kind, but ${where} has no class of ${kind} in ${names}.`,
    elsewhere.length === 0
      ? `${purpose === "controller" ? "Omit --no-resource to scaffold a class" : `Scaffold its class first: \`tsop create api ${named}\``}. For an external kind, generate its class from the CRD first: \`npx tsop import FILE --only ${kind}\`, where FILE can also be a URL or \`cluster\`; then pass its full group.`
      : `For the built-in ${kind}: ${elsewhere.join(", or ")}. For one of yours, ${purpose === "controller" ? "leave --no-resource out" : `scaffold its class first: \`tsop create api ${named}\``}.`,
  );
}
