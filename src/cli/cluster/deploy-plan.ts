/**
 * The changes that `tsop deploy` would make in a cluster. It reads, and asks the API server with
 * dry runs; nothing is written.
 */
import type { Change } from "../../generator/changes/change.ts";
import { compareCrds } from "../../generator/changes/compare-crds.ts";
import { readCrd } from "../../generator/import/read-crd.ts";
import type { ManifestObject } from "../../kube/object.ts";
import { StatusError } from "../../kube/status.ts";
import { runThatAnswers } from "./redirection.ts";
import type { ClusterSession } from "./cluster-session.ts";
import { isCrd, type Crd } from "../project/crd.ts";
import type { FieldDifference } from "../../kube/field-differences.ts";
import { plannedChanges } from "./planned-changes.ts";
import { invalidObjects, type InvalidObject } from "./invalid-objects.ts";
import { whyNotServed } from "./served-kinds.ts";
import { deploymentName, foreignOwner, marked, standingOf } from "./ownership.ts";
import { findLeftovers } from "./leftovers.ts";
import { present } from "../../present.ts";

/** The planned outcome for an object. `kept` stays as others made it; `refused` stops the deployment. */
type PlannedAction = "create" | "change" | "unchanged" | "delete" | "kept" | "refused";

/** The plan for one object. */
export interface PlannedObject {
  readonly action: PlannedAction;
  /** The name as progress lines have it: `deployments.apps demo/web`. */
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** The reason for which it is refused or kept. */
  readonly reason?: string;
  readonly fields: readonly FieldDifference[];
  /** The effects of a changed CRD on those who have objects of its kind. */
  readonly crdChanges: readonly Change[];
  /** Live objects of the kind that the changed CRD would no longer accept. */
  readonly invalid: readonly InvalidObject[];
}

export interface DeployPlan {
  readonly objects: readonly PlannedObject[];
  /** Checks that could not be made, with the reason. */
  readonly notes: readonly string[];
}

/**
 * Compares what would be applied with the cluster.
 *
 * @param owner - the project
 */
export async function planDeployment(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  owner: string,
): Promise<DeployPlan> {
  const absent = new Set<string>();
  const planned: PlannedObject[] = [];
  for (const object of objects) {
    const one = await planOne(session, object, objects, { owner, absent });
    if (object.kind === "Namespace" && one.action === "create") absent.add(object.metadata.name);
    planned.push(one);
  }
  const { leftovers, notes } = await findLeftovers(session, objects, owner);
  for (const { live, name, kept } of leftovers) {
    planned.push({
      ...plain(live, name, kept === undefined ? "delete" : "kept"),
      ...present({ reason: kept }),
    });
  }
  return { objects: planned, notes };
}

/** Whether a deployment would change anything, or be refused. */
export const wouldChange = ({ objects }: DeployPlan): boolean =>
  objects.some(({ action }) => action !== "unchanged" && action !== "kept");

const plain = (
  { apiVersion, kind }: ManifestObject,
  name: string,
  action: PlannedAction,
): PlannedObject => ({ action, name, apiVersion, kind, fields: [], crdChanges: [], invalid: [] });

async function planOne(
  session: ClusterSession,
  object: ManifestObject,
  all: readonly ManifestObject[],
  { owner, absent }: { readonly owner: string; readonly absent: ReadonlySet<string> },
): Promise<PlannedObject> {
  const name = await session.describe(object);
  const reason = await whyNotServed(session, object, all);
  if (reason !== undefined) return { ...plain(object, name, "refused"), reason };
  // The API server cannot be asked about a place, or a kind, that is not there.
  const isKnown = (await session.findResource(object)) !== undefined;
  if (!isKnown || absent.has(object.metadata.namespace ?? "")) return plain(object, name, "create");
  const live = await session.find(object);
  const standing = standingOf(live, owner);
  if (live && standing === "foreign") {
    const isNamespace = object.kind === "Namespace" && object.apiVersion === "v1";
    const reason = isNamespace ? "it existed before" : foreignOwner(live);
    return { ...plain(object, name, isNamespace ? "kept" : "refused"), reason };
  }
  if (live && runThatAnswers(live)) {
    return {
      ...plain(object, name, "change"),
      reason: "a `tsop run` or `tsop dev` serves it instead",
    };
  }
  const intent = marked(object, standing, owner, deploymentName(all));
  try {
    const after = await session.tryApply(intent);
    if (!live) return plain(object, name, "create");
    const fields = plannedChanges(live, after);
    const action = fields.length === 0 ? "unchanged" : "change";
    const isChangedCrd = action === "change" && isCrd(live) && isCrd(after);
    return {
      ...plain(object, name, action),
      fields,
      ...(isChangedCrd && (await effectsOfCrd(session, live, after))),
    };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const changes = live && isCrd(live) && isCrd(object) ? crdChanges(live, object) : [];
    return { ...plain(object, name, "refused"), reason: error.message, crdChanges: changes };
  }
}

const crdChanges = (live: Crd, after: Crd): Change[] =>
  compareCrds(
    [{ ...readCrd(live, live.metadata.name), status: live.status ?? {} }],
    [readCrd(after, after.metadata.name)],
  );

export type CrdEffects = Pick<PlannedObject, "crdChanges" | "invalid">;

/** The effects of a CRD that will be in the place of the live one. */
export async function effectsOfCrd(
  session: ClusterSession,
  live: Crd,
  after: Crd,
): Promise<CrdEffects> {
  return {
    crdChanges: crdChanges(live, after),
    invalid: await invalidObjects(session, live, after),
  };
}
