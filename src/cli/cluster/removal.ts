/**
 * Removes manifests from a cluster: own objects first, then the rest in the reverse order. Only
 * objects that the project itself made are deleted, and that is looked at again just before.
 */
import { join } from "node:path";
import { TsopError } from "../../errors.ts";
import type { ManifestObject } from "../../kube/object.ts";
import { openCluster, type ClusterOptions, type ClusterSession } from "./cluster-session.ts";
import type { CliContext } from "../context.ts";
import { isCrd, servedResource, type Crd } from "../project/crd.ts";
import type { OptionOf } from "../command.ts";
import { renderKustomization } from "../kustomize/render.ts";
import { checkTimeout } from "../project/inputs.ts";
import { getProject, type Project } from "../project/project-file.ts";
import type { deleteObjects, dryRun, waitingTime } from "../shared-flags.ts";
import { isConverted, isWebhookConfiguration } from "./local-webhooks.ts";
import { type Leaving, othersIn } from "./namespace-contents.ts";
import { paint } from "../output.ts";
import { operatorObjects, type OperatorObjects } from "./operator-objects.ts";
import { foreignOwner, ownerName, standingOf } from "./ownership.ts";
import { waitForPods } from "./pods-of.ts";
import { checkRights } from "./missing-rights.ts";
import { UnfinishedWork } from "./unfinished-work.ts";
import { waitUntil } from "./waiting.ts";

/** How many of the objects that are in the way are named. */
const NAMED = 5;

/** The scope and the manner of a removal. */
interface RemovalOptions {
  /** The project: nothing is deleted that it did not make. */
  readonly project: Project;
  readonly owner: string;
  /** Deletes the objects of the kinds whose CRDs are deleted. */
  readonly deleteObjects: boolean;
  readonly dryRun: boolean;
  readonly timeoutSeconds: number;
}

/** The flags of the commands that remove what the project renders. */
type RemovalFlags = ClusterOptions &
  OptionOf<typeof deleteObjects> &
  OptionOf<typeof dryRun> &
  OptionOf<typeof waitingTime>;

/** Removes what a folder of the project renders; returns the exit code of the command, `what`. */
export async function removeRendered(
  what: string,
  folder: string,
  options: RemovalFlags,
  context: CliContext,
): Promise<number> {
  checkTimeout(options.timeout);
  const project = await getProject(context.cwd);
  const session = openCluster(options, context);
  const objects = await renderKustomization(join(project.root, folder));
  context.out(`${paint(context).bold(what)} at ${session.server}`);
  const { dryRun, deleteObjects, timeout: timeoutSeconds } = options;
  const owner = ownerName(project);
  const removal = { project, owner, dryRun, deleteObjects, timeoutSeconds };
  await removeAll(session, objects, removal, context);
  return 0;
}

/**
 * Removes the objects in the reverse order, configurations of webhooks first, and waits until they
 * are gone. Objects of the kinds whose CRDs are deleted are removed first, while their operator
 * still runs; those that the operator created for itself once it has ended. Objects that others made
 * stay, and so does a namespace in which something of others is left.
 *
 * @throws TsopError `objects-exist` when there are such objects and `deleteObjects` is not set
 */
async function removeAll(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  options: RemovalOptions,
  context: CliContext,
): Promise<void> {
  const own: ManifestObject[] = [];
  // Webhooks are removed first: no request is to be refused for want of an answer while the
  // operator ends.
  const configurations = objects.filter(isWebhookConfiguration);
  const rest = objects.filter((object) => !isWebhookConfiguration(object)).reverse();
  const { dryRun } = options;
  const work = new UnfinishedWork([...configurations, ...rest], { done: "deleted", quiet: dryRun });
  await work.tellingHowFar(context, async () => {
    await checkRights(session, objects, ["get", "delete"]);
    for (const crd of objects.filter(isCrd)) own.push(...(await objectsOf(session, crd, options)));
    if (!dryRun) await refuseObjects(session, own, options, "nothing was removed");
    const ofOperator = await operatorObjects(session, objects, options.project, context.clock);
    const found = await ofOperator.find();
    await checkRights(session, found, ["get", "delete"]);
    const removal = { session, work, options, context };
    const leaving = { manifests: rest, objects: [...own, ...found] };
    await removeManifests(removal, configurations, leaving);
    await removeObjects(session, own, options, context);
    const end = rest.findLastIndex(hasPods) + 1;
    await removeManifests(removal, rest.slice(0, end), leaving);
    await removeOperatorObjects(removal, ofOperator);
    await removeManifests(removal, rest.slice(end), leaving);
  });
  if (!dryRun) await tellUnconverted(session, objects, context);
  if (!dryRun) return;
  const { dim, yellow } = paint(context);
  context.out(dim("  dry run: nothing was removed"));
  if (own.length > 0 && !options.deleteObjects) {
    context.err(
      `${yellow("note")} without --delete-objects it is refused while there are objects of these kinds.`,
    );
  }
}

/** A CRD that stays asks a Service that is gone. */
async function tellUnconverted(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  context: CliContext,
): Promise<void> {
  for (const crd of objects.filter(isConverted)) {
    const live = await session.find(crd);
    if (!live || !isConverted(live) || live.metadata.deletionTimestamp !== undefined) continue;
    context.err(
      `${paint(context).yellow("note")} ${crd.metadata.name} is kept, but no webhook converts its versions now. Only requests in the storage version work until the operator is deployed again.`,
    );
  }
}

async function refuseObjects(
  session: ClusterSession,
  own: readonly ManifestObject[],
  { deleteObjects }: RemovalOptions,
  outcome: string,
): Promise<void> {
  if (own.length === 0 || deleteObjects) return;
  const named = await Promise.all(own.slice(0, NAMED).map((object) => session.describe(object)));
  throw new TsopError(
    "objects-exist",
    `${own.length} ${own.length === 1 ? "object goes" : "objects go"} with the CRDs: ${named.join(", ")}${own.length > NAMED ? ", ..." : ""}.`,
    `Delete them first, or add --delete-objects; ${outcome}.`,
  );
}

/** Removes objects of the kinds that were listed just before. */
async function removeObjects(
  session: ClusterSession,
  own: readonly ManifestObject[],
  options: RemovalOptions,
  context: CliContext,
): Promise<void> {
  const removed: ManifestObject[] = [];
  for (const object of own) {
    if (!options.dryRun && (await session.remove(object))) removed.push(object);
    tellDeletion(await session.describe(object), options, context);
  }
  await waitForEnd(session, removed, options, context);
}

interface Removal {
  readonly session: ClusterSession;
  readonly work: UnfinishedWork;
  readonly options: RemovalOptions;
  readonly context: CliContext;
}

/** @param leaving - all that is deleted, now or later */
async function removeManifests(
  { session, work, options, context }: Removal,
  manifests: readonly ManifestObject[],
  leaving: Leaving,
): Promise<void> {
  const { dim } = paint(context);
  const removed: ManifestObject[] = [];
  for (const object of manifests) {
    const name = await session.describe(object);
    const live = await session.find(object);
    const kept = live && (await whyKept(session, live, leaving, options));
    if (!live) context.out(`  ${dim("absent    ")} ${name}`);
    else if (kept !== undefined) context.out(`  ${dim("kept      ")} ${name}${dim(`: ${kept}`)}`);
    else {
      if (!options.dryRun) {
        if (isCrd(object)) {
          const since = await objectsOf(session, object, options);
          await refuseObjects(session, since, options, "earlier removals are not undone");
        }
        if (isNamespace(live)) await waitForEnd(session, removed.splice(0), options, context);
        work.begin(object);
        if (await session.remove(live)) removed.push(live);
      }
      tellDeletion(name, options, context);
    }
    work.finish(object);
  }
  await waitForEnd(session, removed, options, context);
  for (const live of removed.filter(hasPods)) {
    await waitForPods(session, live, options.timeoutSeconds, context);
  }
}

/** Removes what the operator created for itself: it has ended, so that it creates nothing again. */
async function removeOperatorObjects(
  { session, options, context }: Removal,
  ofOperator: OperatorObjects,
): Promise<void> {
  const { dim, yellow } = paint(context);
  const removed: ManifestObject[] = [];
  for (const { metadata, ...found } of await ofOperator.find()) {
    const live = await session.find({ ...found, metadata });
    if (live?.metadata.uid !== metadata.uid || !ofOperator.isOne(live)) continue;
    if (!options.dryRun && !(await session.remove(live))) continue;
    removed.push(live);
    tellDeletion(
      `${await session.describe(live)}${dim(": created by the operator")}`,
      options,
      context,
    );
  }
  for (const note of ofOperator.notes) context.err(`${yellow("note")} ${note}.`);
  if (!options.dryRun) await waitForEnd(session, removed, options, context);
}

const hasPods = ({ kind }: ManifestObject): boolean =>
  ["Deployment", "StatefulSet", "DaemonSet"].includes(kind);

/** The reason why a live object stays, as a clause; `undefined` when the project made it and may delete it. */
async function whyKept(
  session: ClusterSession,
  live: ManifestObject,
  leaving: Leaving,
  { owner }: RemovalOptions,
): Promise<string | undefined> {
  const standing = standingOf(live, owner);
  if (standing === "taken-over") return "it existed before this project took it over";
  if (standing !== "made") return `not created by this project, ${foreignOwner(live)}`;
  if (!isNamespace(live)) return undefined;
  const others = await othersIn(session, live.metadata.name, leaving);
  if (others.length === 0) return undefined;
  const named = others.slice(0, NAMED).join(", ");
  return `it contains objects that this project did not create: ${named}${others.length > NAMED ? ", ..." : ""}`;
}

const isNamespace = ({ apiVersion, kind }: ManifestObject): boolean =>
  apiVersion === "v1" && kind === "Namespace";

function tellDeletion(name: string, { dryRun }: RemovalOptions, context: CliContext): void {
  context.out(`  ${paint(context).red(dryRun ? "to delete " : "deleted   ")} ${name}`);
}

/** Waits until these very objects are gone; another one of the same name does not count. */
async function waitForEnd(
  session: ClusterSession,
  removed: readonly ManifestObject[],
  { timeoutSeconds }: RemovalOptions,
  context: CliContext,
): Promise<void> {
  const still = async (object: ManifestObject): Promise<ManifestObject | undefined> => {
    const live = await session.find(object);
    return live?.metadata.uid === object.metadata.uid ? live : undefined;
  };
  for (const object of removed) {
    await waitUntil(
      context,
      timeoutSeconds,
      async () => {
        const live = await still(object);
        return live && `${object.kind} ${object.metadata.name} still exists${whatHolds(live)}`;
      },
      async () => {
        const left = await Promise.all(removed.map(still));
        return releaseOf(
          session,
          left.flatMap((live) => live ?? []),
        );
      },
    );
  }
}

/** How to let go of objects whose finalizers nobody does; `undefined` where no finalizer holds them. */
async function releaseOf(
  session: ClusterSession,
  left: readonly ManifestObject[],
): Promise<string | undefined> {
  const held = left.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0);
  if (held.length === 0) return undefined;
  const finalizers = [...new Set(held.flatMap(({ metadata }) => metadata.finalizers ?? []))];
  const commands = await Promise.all(
    held.slice(0, NAMED).map(async (object) => {
      const [resource] = (await session.describe(object)).split(" ");
      const { name, namespace } = object.metadata;
      const where = namespace === undefined ? "" : ` -n ${namespace}`;
      return `kubectl patch ${resource} ${name}${where} --type=merge -p '{"metadata":{"finalizers":null}}'`;
    }),
  );
  const more = held.length > NAMED ? `, and ${held.length - NAMED} more in the same way` : "";
  return `The controller that sets ${finalizers.join(", ")} must be running. Check its logs, or raise --timeout SECONDS. If it no longer exists, remove the finalizers by hand; the resources that it would have cleaned up, perhaps outside the cluster, are left behind: ${commands.join("; ")}${more}. Then run the command again.`;
}

/** The reason why a deleted object is still there, as far as the object says so. */
function whatHolds(object: ManifestObject): string {
  const finalizers = object.metadata.finalizers?.join(", ") ?? "";
  if (finalizers !== "") return `: its finalizers ${finalizers} are not done`;
  const { conditions = [] } = (object as Crd).status ?? {};
  const held = conditions.find(
    ({ type, status }) => type === "NamespaceContentRemaining" && status === "True",
  );
  return held?.message === undefined ? "" : `: ${held.message}`;
}

/** All objects of the kind that the CRD defines, where the CRD is deleted. */
async function objectsOf(
  session: ClusterSession,
  crd: Crd,
  { owner }: RemovalOptions,
): Promise<readonly ManifestObject[]> {
  if (standingOf(await session.find(crd), owner) !== "made") return [];
  const resource = servedResource(crd);
  return resource ? session.list(resource) : [];
}
