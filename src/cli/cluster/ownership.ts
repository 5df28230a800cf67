/**
 * The objects of a cluster that a project may change and delete: those that its own `tsop deploy`
 * or `tsop install` made. Each carries a mark, and managedFields say that tsop applied it.
 */
import { TsopError } from "../../errors.ts";
import type { ManifestObject, ManagedFieldsEntry } from "../../kube/object.ts";
import type { Project } from "../project/project-file.ts";

/** The field manager of everything that tsop applies. */
export const FIELD_MANAGER = "tsop";

/** The project that made the object: it may delete it. */
const MADE_BY = "tsop.dev/made-by";
/** The project that was told to take the object over: it may change it, and never deletes it. */
const TAKEN_OVER_BY = "tsop.dev/taken-over-by";

/** The annotation with the deployment of the project that the object belongs to: a cluster may have several. */
const DEPLOYED_AS = "tsop.dev/deployed-as";

/** The relation of a live object to a project. */
export type Standing = "absent" | "made" | "taken-over" | "foreign";

/** The name of a project in marks. */
export function ownerName({
  projectName,
  domain,
}: Pick<Project, "projectName" | "domain">): string {
  return `${projectName}.${domain}`;
}

/** The relation of the live object to the project `owner`. */
export function standingOf(live: ManifestObject | undefined, owner: string): Standing {
  if (!live) return "absent";
  const { annotations = {}, managedFields = [] } = live.metadata;
  // The status is written by the component that runs the object, not by its maker.
  const writers = managedFields.filter(({ subresource = "" }) => subresource === "");
  const applied = writers.some(isApply);
  if (!applied) return "foreign";
  if (annotations[MADE_BY] === owner) return "made";
  if (annotations[TAKEN_OVER_BY] === owner) return "taken-over";
  const marked = annotations[MADE_BY] !== undefined || annotations[TAKEN_OVER_BY] !== undefined;
  // Earlier versions of tsop left no mark; an object that nobody else ever wrote to is theirs.
  return !marked && writers.every(isApply) ? "made" : "foreign";
}

const isApply = ({ manager, operation }: ManagedFieldsEntry): boolean =>
  manager === FIELD_MANAGER && operation === "Apply";

/**
 * The manifest with the marks that its object is to have from now on.
 *
 * @param deployment - what `deploymentName` says; absent where no whole deployment is applied
 */
export function marked<T extends ManifestObject>(
  object: T,
  standing: Standing,
  owner: string,
  deployment?: string,
): T {
  const mark = standing === "absent" || standing === "made" ? MADE_BY : TAKEN_OVER_BY;
  const annotations = {
    ...object.metadata.annotations,
    [mark]: owner,
    ...(deployment !== undefined && { [DEPLOYED_AS]: deployment }),
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The name of a deployment in marks: its namespace and its service account, which has the name prefix. */
export function deploymentName(objects: readonly ManifestObject[]): string | undefined {
  const account = objects.find(({ kind }) => kind === "ServiceAccount");
  return account && `${account.metadata.namespace ?? "default"}/${account.metadata.name}`;
}

/** Whether the live object was applied as part of that deployment. */
export const wasDeployedAs = ({ metadata }: ManifestObject, deployment: string): boolean =>
  metadata.annotations?.[DEPLOYED_AS] === deployment;

/** The other owner of an object, as far as the object says so. */
export function foreignOwner({ metadata }: ManifestObject): string {
  const project = metadata.annotations?.[MADE_BY] ?? metadata.annotations?.[TAKEN_OVER_BY];
  if (project !== undefined) return `it belongs to the tsop project ${project}`;
  const managers = (metadata.managedFields ?? []).map(({ manager = "" }) => manager);
  const names = [...new Set(managers)].filter((name) => name !== "" && name !== FIELD_MANAGER);
  return names.length === 0 ? "created by someone else" : `it was written by ${names.join(", ")}`;
}

/** A live object with the name that messages give it. */
export interface NamedObject {
  readonly name: string;
  readonly live: ManifestObject;
}

/**
 * The error of a roll-out that would overwrite what others made.
 *
 * @param outcome - what became of the rest, as the end of a sentence
 */
export function notOurs(found: readonly NamedObject[], outcome: string): TsopError {
  const named = found.map(({ name, live }) => `${name} (${foreignOwner(live)})`);
  return new TsopError(
    "not-ours",
    `Objects that this project did not create already exist: ${named.join("; ")}.`,
    `Rename yours, remove the other, or change it all the same with --take-ownership; ${outcome}.`,
  );
}
