/** Applies manifests to a cluster: order, rights, waits, progress. */
import { TsopError } from "../../errors.ts";
import { statusOf } from "../../kube/progress/kstatus.ts";
import type { ManifestObject } from "../../kube/object.ts";
import { StatusError } from "../../kube/status.ts";
import type { Applied, ClusterSession } from "./cluster-session.ts";
import type { CliContext } from "../context.ts";
import { isCrd, type Crd } from "../project/crd.ts";
import { missingIn, type DeploymentState } from "./deployment-state.ts";
import { paint } from "../output.ts";
import { marked, type NamedObject, notOurs, standingOf } from "./ownership.ts";
import { checkRights } from "./missing-rights.ts";
import { takeBackFromRuns } from "./answering.ts";
import { runThatAnswers } from "./redirection.ts";
import { requireServed } from "./served-kinds.ts";
import { UnfinishedWork } from "./unfinished-work.ts";
import { waitUntil } from "./waiting.ts";

/** Options of a roll-out: its timeout, and whether it changes anything. */
export interface RollOutOptions {
  readonly dryRun: boolean;
  readonly timeoutSeconds: number;
  /** Leaves out the lines of unchanged objects. */
  readonly changesOnly?: boolean;
  /** The project of the objects; absent for objects of no project, such as samples. */
  readonly owner?: string;
  /** Changes objects that others made, too. */
  readonly takeOwnership?: boolean;
  /** The deployment of the project, for the marks. */
  readonly deployment?: string;
}

/** The outcome of an object in a roll-out: `kept` stays as others made it. */
type Done = Applied | "kept";

/** The words of a dry run for each outcome. */
const WOULD: Readonly<Record<Done, string>> = {
  created: "to create",
  configured: "to change",
  unchanged: "unchanged",
  kept: "kept",
};

/**
 * Applies the objects in their order. CRDs are established before what comes after them. A namespace that was
 * there before stays as it is.
 *
 * @throws TsopError `kinds-not-served`, `no-rights`, or `not-ours` for objects that others made, before anything is applied
 */
export async function applyAll(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  options: RollOutOptions,
  context: CliContext,
): Promise<void> {
  const quiet = options.dryRun || options.changesOnly === true;
  const work = new UnfinishedWork(objects, { done: "applied", quiet });
  await work.tellingHowFar(context, async () => {
    await requireServed(session, objects);
    await checkRights(session, objects, ["get", "create", "patch"]);
    await refuseForeign(session, objects, options);
    await applyInOrder(session, { objects, work }, options, context);
  });
  if (options.dryRun) context.out(paint(context).dim("  dry run: nothing was changed"));
}

interface ObjectsToApply {
  readonly objects: readonly ManifestObject[];
  readonly work: UnfinishedWork;
}

async function applyInOrder(
  session: ClusterSession,
  { objects, work }: ObjectsToApply,
  options: RollOutOptions,
  context: CliContext,
): Promise<void> {
  const { dryRun, timeoutSeconds } = options;
  const { green, yellow, dim } = paint(context);
  const colors = { created: green, configured: yellow, unchanged: dim, kept: dim };
  const crds = objects.filter(isCrd);
  const absent = dryRun ? await absentNamespaces(session, objects) : new Set<string>();
  let waiting = crds.length > 0 && !dryRun;
  for (const object of objects) {
    if (waiting && !isCrd(object) && object.kind !== "Namespace") {
      await waitForCrds(session, crds, timeoutSeconds, context);
      waiting = false;
    }
    // The API server cannot be asked about a place that is not there.
    const unasked = absent.has(object.metadata.namespace ?? "");
    work.begin(object);
    const done = unasked ? "created" : await applyOne(session, object, options, context);
    work.finish(object);
    if (options.changesOnly && (done === "unchanged" || done === "kept")) continue;
    const label = dryRun ? WOULD[done] : done;
    const why = done === "kept" ? dim(": it existed before") : "";
    context.out(`  ${colors[done](label.padEnd(10))} ${await session.describe(object)}${why}`);
  }
  if (waiting) await waitForCrds(session, crds, timeoutSeconds, context);
}

/** Refuses objects of others before the first object is applied, so that nothing is left half done. */
async function refuseForeign(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  { owner, takeOwnership = false }: RollOutOptions,
): Promise<void> {
  if (owner === undefined || takeOwnership) return;
  const found: NamedObject[] = [];
  for (const object of objects) {
    if (isNamespace(object)) continue;
    const live = await session.find(object);
    if (!live || standingOf(live, owner) !== "foreign") continue;
    found.push({ name: await session.describe(object), live });
  }
  if (found.length > 0) throw notOurs(found, "nothing was changed");
}

const isNamespace = ({ apiVersion, kind }: ManifestObject): boolean =>
  apiVersion === "v1" && kind === "Namespace";

/** @throws TsopError `not-applied` with the API server's reason; `not-ours` */
async function applyOne(
  session: ClusterSession,
  object: ManifestObject,
  { owner, takeOwnership = false, dryRun, deployment }: RollOutOptions,
  context: CliContext,
): Promise<Done> {
  let intent = object;
  if (owner !== undefined) {
    // Read again just before the write: someone may have made one of this name since.
    const live = await session.find(object);
    const standing = standingOf(live, owner);
    if (live && standing === "foreign") {
      if (isNamespace(object)) return "kept";
      if (!takeOwnership) {
        const name = await session.describe(object);
        throw notOurs([{ name, live }], "objects applied so far are kept");
      }
    }
    intent = marked(object, standing, owner, deployment);
    if (live && runThatAnswers(live)) {
      // The API server cannot be asked: the object has a run's address beside the Service.
      if (dryRun) return "configured";
      await takeBackFromRuns(session, object, context);
    }
  }
  try {
    return await session.apply(intent, { dryRun });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new TsopError(
      "not-applied",
      `${await session.describe(object)}: ${error.message}`,
      dryRun
        ? "Fix what the message reports."
        : "Fix what the message reports and run the command again; objects applied so far are kept.",
      { cause: error },
    );
  }
}

/** Namespaces that the roll-out would make. */
async function absentNamespaces(
  session: ClusterSession,
  objects: readonly ManifestObject[],
): Promise<ReadonlySet<string>> {
  const absent = new Set<string>();
  for (const object of objects) {
    if (object.kind !== "Namespace" || (await session.find(object))) continue;
    absent.add(object.metadata.name);
  }
  return absent;
}

async function waitForCrds(
  session: ClusterSession,
  crds: readonly Crd[],
  timeoutSeconds: number,
  context: CliContext,
): Promise<void> {
  for (const crd of crds) {
    const name = crd.metadata.name;
    await waitUntil(context, timeoutSeconds, async () => {
      const { status, message } = statusOf(await session.find(crd), context.clock.now());
      if (status === "Failed") {
        throw new TsopError(
          "names-taken",
          `The API server does not accept the names of ${name}: ${message}`,
          "Another CRD has the kind, plural or a short name; change yours or remove the other.",
        );
      }
      return status === "Current" ? undefined : `the CRD ${name} is not established`;
    });
    context.out(`  ${paint(context).green("ready     ")} CRD ${name} is established`);
  }
}

/**
 * Waits until all pods of the Deployment run its present template.
 *
 * @throws TsopError `roll-out-failed` or `timeout`, with what the pods say
 */
export async function waitForDeployment(
  session: ClusterSession,
  deployment: ManifestObject,
  timeoutSeconds: number,
  context: CliContext,
): Promise<void> {
  const { namespace = "", name } = deployment.metadata;
  await waitUntil(context, timeoutSeconds, async () => {
    const live: DeploymentState | undefined = await session.find(deployment);
    const labels = live?.spec?.selector?.matchLabels ?? {};
    const pods = live ? await session.pods(namespace, labels) : [];
    return missingIn(live, pods, context.clock.now());
  });
  context.out(`  ${paint(context).green("ready     ")} deployments.apps ${namespace}/${name}`);
}
