/**
 * Manifests into a cluster and out of it again: order, rights, waits, progress.
 *
 * @module
 */
import { TsopError } from "../errors.ts";
import type { JsonObject, KubeObject } from "../kube/object.ts";
import { groupResourceOf, type ResourceType } from "../kube/resource.ts";
import type { ClusterSession } from "./cluster-session.ts";
import type { CliContext } from "./context.ts";
import { paint } from "./output.ts";

const CRD_KIND = "CustomResourceDefinition";
const POLL_MS = 100;

/** How long to wait, and whether to change anything. */
export interface RollOutOptions {
  readonly dryRun: boolean;
  readonly timeoutSeconds: number;
}

/** A CRD, as far as a roll-out reads it. */
interface Crd extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; message?: string }[];
  };
}

/**
 * Applies the objects in their order. CRDs are established before what comes after them.
 *
 * @throws TsopError `no-rights` before anything is applied
 */
export async function applyAll(
  session: ClusterSession,
  objects: readonly KubeObject[],
  options: RollOutOptions,
  context: CliContext,
): Promise<void> {
  await checkRights(session, objects, "patch");
  const { green, yellow, dim } = paint(context);
  const labels = { created: green, configured: yellow, unchanged: dim };
  const crds = objects.filter((object): object is Crd => object.kind === CRD_KIND);
  let waiting = crds.length > 0 && !options.dryRun;
  for (const object of objects) {
    const past = object.kind !== CRD_KIND && object.kind !== "Namespace";
    if (waiting && past) {
      await waitForCrds(session, crds, options.timeoutSeconds, context);
      waiting = false;
    }
    const done = await session.apply(object, options);
    context.out(`  ${labels[done](done.padEnd(10))} ${await session.describe(object)}`);
  }
  if (waiting) await waitForCrds(session, crds, options.timeoutSeconds, context);
}

/** Waits until the API server serves the kinds. */
async function waitForCrds(
  session: ClusterSession,
  crds: readonly Crd[],
  timeoutSeconds: number,
  context: CliContext,
): Promise<void> {
  for (const crd of crds) {
    const name = crd.metadata.name ?? "";
    await waitUntil(context, timeoutSeconds, async () => {
      const live = (await session.find(crd)) as Crd | undefined;
      const conditions = live?.status?.conditions ?? [];
      const refused = conditions.find(
        ({ type, status }) => type === "NamesAccepted" && status === "False",
      );
      if (refused) {
        throw new TsopError(
          "names-taken",
          `The API server does not accept the names of ${name}: ${refused.message ?? ""}`,
          "Another CRD has the kind, plural or a short name; change yours or remove the other.",
        );
      }
      return conditions.some(({ type, status }) => type === "Established" && status === "True")
        ? undefined
        : `the CRD ${name} is not established`;
    });
    context.out(`  ${paint(context).green("ready     ")} CRD ${name} is established`);
  }
}

/** Waits until all pods of the Deployment run what it says. */
export async function waitForDeployment(
  session: ClusterSession,
  deployment: KubeObject,
  timeoutSeconds: number,
  context: CliContext,
): Promise<void> {
  const { namespace = "", name = "" } = deployment.metadata;
  await waitUntil(context, timeoutSeconds, async () => {
    const live = (await session.find(deployment)) as JsonObject | undefined;
    const spec = (live?.["spec"] ?? {}) as { replicas?: number };
    const metadata = (live?.["metadata"] ?? {}) as { generation?: number };
    const status = (live?.["status"] ?? {}) as {
      observedGeneration?: number;
      updatedReplicas?: number;
      availableReplicas?: number;
      conditions?: readonly { type: string; status: string; message?: string }[];
    };
    const wanted = spec.replicas ?? 1;
    const { updatedReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
    const seen = observedGeneration >= (metadata.generation ?? 0);
    if (seen && updatedReplicas >= wanted && availableReplicas >= wanted) return undefined;
    const because = status.conditions?.find(({ status: is }) => is === "False")?.message ?? "";
    return `${availableReplicas} of ${wanted} pods of ${namespace}/${name} are available. ${because}`.trim();
  });
  context.out(`  ${paint(context).green("ready     ")} deployments.apps ${namespace}/${name}`);
}

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
  await checkRights(session, objects, "delete");
  const own = await ownObjects(session, objects);
  if (own.length > 0 && !options.deleteObjects) {
    const named = await Promise.all(own.slice(0, 5).map((object) => session.describe(object)));
    throw new TsopError(
      "objects-exist",
      `${own.length} ${own.length === 1 ? "object goes" : "objects go"} with the CRDs: ${named.join(", ")}${own.length > 5 ? ", ..." : ""}.`,
      "Delete them first, or add --delete-objects; nothing was removed.",
    );
  }
  await removeStep(session, own, options, context);
  await removeStep(session, [...objects].reverse(), options, context);
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
    context.out(`  ${red(options.dryRun ? "would go  " : "deleted   ")} ${name}`);
  }
  for (const object of removed) {
    await waitUntil(context, options.timeoutSeconds, async () => {
      const live = await session.find(object);
      if (!live) return undefined;
      const finalizers = live.metadata.finalizers?.join(", ") ?? "";
      const because = finalizers === "" ? "" : `: its finalizers ${finalizers} are not done`;
      return `${object.kind} ${object.metadata.name ?? ""} is not gone${because}`;
    });
  }
}

/** Every object of the kinds that the CRDs among `objects` define. */
async function ownObjects(
  session: ClusterSession,
  objects: readonly KubeObject[],
): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for (const object of objects) {
    if (object.kind !== CRD_KIND || !(await session.find(object))) continue;
    const { group, scope, names, versions } = (object as Crd).spec;
    const version = versions.find(({ served }) => served)?.name;
    if (version === undefined) continue;
    const { kind, plural } = names;
    const resource = { group, version, kind, plural, namespaced: scope === "Namespaced" };
    found.push(...(await session.list(resource)));
  }
  return found;
}

/** Refuses before anything is changed when a right is missing. */
async function checkRights(
  session: ClusterSession,
  objects: readonly KubeObject[],
  verb: "patch" | "delete",
): Promise<void> {
  const asked = new Map<string, { resource: ResourceType; namespace: string | undefined }>();
  for (const object of objects) {
    // Kinds whose CRD is part of the same roll-out are not there yet.
    const resource = await session.findResource(object);
    if (!resource) continue;
    const namespace = resource.namespaced ? object.metadata.namespace : undefined;
    asked.set(`${groupResourceOf(resource)} ${namespace ?? ""}`, { resource, namespace });
  }
  const missing: string[] = [];
  for (const { resource, namespace } of asked.values()) {
    if (await session.isAllowed(verb, resource, namespace)) continue;
    const place = namespace === undefined ? "" : ` in the namespace ${namespace}`;
    missing.push(`${verb} ${groupResourceOf(resource)}${place}`);
  }
  if (missing.length === 0) return;
  throw new TsopError(
    "no-rights",
    `At ${session.server} you may not ${missing.join(", nor ")}.`,
    "Ask for these rights, or use --context or --kubeconfig of someone who has them; nothing was changed.",
  );
}

/** Asks again and again; `undefined` is success, a text is what is still missing. */
async function waitUntil(
  context: CliContext,
  timeoutSeconds: number,
  missing: () => Promise<string | undefined>,
): Promise<void> {
  const until = context.clock.monotonicMs() + timeoutSeconds * 1000;
  for (;;) {
    const what = await missing();
    if (what === undefined) return;
    if (context.clock.monotonicMs() > until) {
      throw new TsopError(
        "timeout",
        `After ${timeoutSeconds} s ${what}.`,
        "Look at the events and logs there; give it longer with --timeout SECONDS.",
      );
    }
    await context.clock.sleep(POLL_MS);
  }
}
