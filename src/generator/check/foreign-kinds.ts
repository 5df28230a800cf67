/**
 * Kinds whose CRD may be somebody else's: if it were generated here, it would be deployed and
 * removed with the operator.
 */
import type { Findings } from "../findings.ts";
import type { KindModel, ProjectModel } from "../model.ts";

/**
 * Notes kinds that are external in one file and generated from another, and kinds outside of the
 * project's domain that do not say to whom they belong.
 *
 * @param domain - of the project; absent where nothing is known of it
 */
export function checkForeignKinds(
  { kinds, externalKinds }: Pick<ProjectModel, "kinds" | "externalKinds">,
  domain: string | undefined,
  findings: Findings,
): void {
  for (const { group, kind, at } of externalKinds) {
    const own = kinds.find((other) => other.group === group && other.kind === kind);
    if (!own) continue;
    findings.error(
      at,
      "external-and-own",
      `${kind} of ${group} is external here, and its CRD is generated from the class at ${own.at.file}:${own.at.line}.`,
      "All versions of a kind belong to one project: put external: true on both classes, or on none.",
    );
  }
  const told = new Set<string>();
  for (const kind of kinds) {
    if (domain === undefined || kind.saidAt.has("external") || isBelow(kind.group, domain))
      continue;
    if (told.has(kind.group)) continue;
    told.add(kind.group);
    warnOfGroup(kind, domain, findings);
  }
}

const isBelow = (group: string, domain: string): boolean =>
  group === domain || group.endsWith(`.${domain}`);

function warnOfGroup(kind: KindModel, domain: string, findings: Findings): void {
  findings.warn(
    kind.saidAt.get("group") ?? kind.at,
    "foreign-group",
    `The group ${kind.group} does not end in ${domain}, and its CRDs are generated, deployed and removed with this project.`,
    "Add external: true to @Resource if they belong to another project, or external: false if they are yours.",
  );
}
