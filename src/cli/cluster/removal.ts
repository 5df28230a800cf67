/**
 * Manifests out of a cluster again: own objects first, then the rest in the reverse order.
 *
 * @module
 */
import { TsopError } from "../../errors.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { ClusterSession } from "./cluster-session.ts";
import type { CliContext } from "../context.ts";
import { isCrd, type Crd } from "./crd.ts";
import { paint } from "../output.ts";
import { checkRights } from "./rights.ts";
import type { RollOutOptions } from "./roll-out.ts";
import { waitUntil } from "./waiting.ts";

/** How many of the objects that are in the way are named. */
const NAMED = 5;

/**
 * Removes the objects in the reverse order and waits until they are gone. Objects of the kinds that
 * go with their CRDs are removed first, while their operator still runs.
 *
 * @throws TsopError `objects-exist` when there are such objects and `deleteObjects` is not set
 */
export async function removeAll(
  session: ClusterSession,
  objects: readonly KubeObject[],
  options: RollOutOptions & { readonly deleteObjects: boolean },
  context: CliContext,
): Promise<void> {
  await checkRights(session, objects, ["get", "delete"]);
  const own = await ownObjects(session, objects.filter(isCrd));
  if (own.length > 0 && !options.deleteObjects) {
    const named = await Promise.all(own.slice(0, NAMED).map((object) => session.describe(object)));
    throw new TsopError(
      "objects-exist",
      `${own.length} ${own.length === 1 ? "object goes" : "objects go"} with the CRDs: ${named.join(", ")}${own.length > NAMED ? ", ..." : ""}.`,
      "Delete them first, or add --delete-objects; nothing was removed.",
    );
  }
  await removeStep(session, own, options, context);
  await removeStep(session, [...objects].reverse(), options, context);
  if (options.dryRun) context.out(paint(context).dim("  dry run: nothing was removed"));
}

async function removeStep(
  session: ClusterSession,
  objects: readonly KubeObject[],
  options: RollOutOptions,
  context: CliContext,
): Promise<void> {
  const { red, dim } = paint(context);
  const removed: KubeObject[] = [];
  for (const object of objects) {
    const name = await session.describe(object);
    if (!(await session.find(object))) {
      context.out(`  ${dim("absent    ")} ${name}`);
      continue;
    }
    if (!options.dryRun && (await session.remove(object))) removed.push(object);
    context.out(`  ${red(options.dryRun ? "to delete " : "deleted   ")} ${name}`);
  }
  for (const object of removed) {
    await waitUntil(context, options.timeoutSeconds, async () => {
      const live = await session.find(object);
      return live && `${object.kind} ${object.metadata.name ?? ""} is not gone${whatHolds(live)}`;
    });
  }
}

/** Why an object that was deleted is still there, as far as it says so. */
function whatHolds(object: KubeObject): string {
  const finalizers = object.metadata.finalizers?.join(", ") ?? "";
  if (finalizers !== "") return `: its finalizers ${finalizers} are not done`;
  const { conditions = [] } = (object as Crd).status ?? {};
  const held = conditions.find(
    ({ type, status }) => type === "NamespaceContentRemaining" && status === "True",
  );
  return held?.message === undefined ? "" : `: ${held.message}`;
}

/** Every object of the kinds that the CRDs define. */
async function ownObjects(
  session: ClusterSession,
  crds: readonly Crd[],
): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for (const crd of crds) {
    if (!(await session.find(crd))) continue;
    const { group, scope, names, versions } = crd.spec;
    const version = versions.find(({ served }) => served)?.name;
    if (version === undefined) continue;
    const { kind, plural } = names;
    const resource = { group, version, kind, plural, namespaced: scope === "Namespaced" };
    found.push(...(await session.list(resource)));
  }
  return found;
}
