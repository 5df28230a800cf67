/** Leftovers of earlier deployments of the project: objects that it made, and that are not rendered any more. */
import type { KubeObject, ManifestObject } from "../../kube/object.ts";
import { groupResourceOf } from "../../kube/resource.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";
import type { ClusterSession } from "./cluster-session.ts";
import { deploymentName, standingOf, wasDeployedAs } from "./ownership.ts";
import { checkRights } from "./missing-rights.ts";

/** An object that is not part of the deployment any more. */
interface Leftover {
  readonly live: KubeObject;
  readonly name: string;
  /** The reason for which it is not deleted all the same; absent when it is. */
  readonly kept?: string;
}

export const NO_LEFTOVERS: FoundLeftovers = { leftovers: [], notes: [] };

/** The leftovers that were found, and a note for each kind that could not be looked at. */
export interface FoundLeftovers {
  readonly leftovers: readonly Leftover[];
  readonly notes: readonly string[];
}

type Kind = Pick<ManifestObject, "apiVersion" | "kind">;

/** The kinds of which `tsop` and its optional parts write objects; those that the project renders are looked at, too. */
const SCAFFOLDED: readonly Kind[] = [
  ["v1", "ServiceAccount Service ConfigMap Secret"],
  ["apps/v1", "Deployment"],
  ["policy/v1", "PodDisruptionBudget"],
  ["networking.k8s.io/v1", "NetworkPolicy"],
  ["rbac.authorization.k8s.io/v1", "Role RoleBinding ClusterRole ClusterRoleBinding"],
  [
    "admissionregistration.k8s.io/v1",
    "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
  ],
  ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ["monitoring.coreos.com/v1", "ServiceMonitor PrometheusRule"],
  ["cert-manager.io/v1", "Issuer Certificate"],
].flatMap(([apiVersion = "", kinds = ""]) =>
  kinds.split(" ").map((kind): Kind => ({ apiVersion, kind })),
);

const identityOf = ({ apiVersion, kind, metadata }: ManifestObject): string =>
  `${apiVersion.replace(/\/[^/]*$|^v1$/, "")} ${kind} ${metadata.namespace ?? ""}/${metadata.name}`;

/**
 * Looks for objects with the mark of a deployment of this project with this name and in this
 * namespace. Objects of the project's other deployments do not count, nor do objects that
 * `tsop install` alone made.
 */
export async function findLeftovers(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  owner: string,
): Promise<FoundLeftovers> {
  const wanted = new Set(objects.map(identityOf));
  const deployment = deploymentName(objects);
  if (deployment === undefined) return { leftovers: [], notes: [] };
  const namespaces = new Set(
    objects.flatMap(({ metadata: { namespace } }) => (namespace === undefined ? [] : [namespace])),
  );
  const kinds = new Map(
    [...SCAFFOLDED, ...objects].map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind]),
  );
  const leftovers: Leftover[] = [];
  const notes: string[] = [];
  for (const { apiVersion, kind } of kinds.values()) {
    const resource = await session.findResource({ apiVersion, kind });
    if (!resource || kind === "Namespace") continue;
    for (const namespace of resource.namespaced ? namespaces : [undefined]) {
      if (!(await session.isAllowed("list", resource, namespace))) {
        notes.push(
          `you are not allowed to list ${groupResourceOf(resource)}, so leftovers of an earlier version were not searched`,
        );
        continue;
      }
      for (const live of await session.list(resource, namespace)) {
        if (wanted.has(identityOf(live)) || live.metadata.deletionTimestamp !== undefined) continue;
        if (standingOf(live, owner) !== "made" || !wasDeployedAs(live, deployment)) continue;
        leftovers.push(await leftover(session, live));
      }
    }
  }
  return { leftovers, notes };
}

async function leftover(session: ClusterSession, live: KubeObject): Promise<Leftover> {
  const name = await session.describe(live);
  if (live.kind !== "CustomResourceDefinition") return { live, name };
  const kept = `deleting it would delete all objects of the kind. If they are not needed: kubectl delete crd ${live.metadata.name}`;
  return { live, name, kept };
}

/** @throws TsopError `no-rights` where the user may not delete them, before anything is applied */
export async function checkLeftovers(
  session: ClusterSession,
  { leftovers }: FoundLeftovers,
): Promise<void> {
  const gone = leftovers.filter(({ kept }) => kept === undefined).map(({ live }) => live);
  await checkRights(session, gone, ["delete"], "deploy with --no-prune");
}

/** Deletes the leftovers, each after another look whether it still is the project's. */
export async function removeLeftovers(
  session: ClusterSession,
  { leftovers, notes }: FoundLeftovers,
  as: {
    readonly owner: string;
    readonly deployment: string | undefined;
    readonly dryRun: boolean;
  },
  context: CliContext,
): Promise<void> {
  const { red, yellow, dim } = paint(context);
  for (const note of notes) context.err(`${yellow("note")} ${note}.`);
  for (const { live, name, kept } of leftovers) {
    if (kept !== undefined) {
      context.out(`  ${dim("left over ")} ${name}${dim(`: ${kept}`)}`);
      continue;
    }
    if (as.dryRun) {
      context.out(`  ${red("to delete ")} ${name}${dim(": created by an earlier version")}`);
      continue;
    }
    const now = await session.find(live);
    const isOurs =
      now !== undefined &&
      now.metadata.uid === live.metadata.uid &&
      standingOf(now, as.owner) === "made" &&
      as.deployment !== undefined &&
      wasDeployedAs(now, as.deployment);
    if (!isOurs || !(await session.remove(now))) continue;
    context.out(`  ${red("deleted   ")} ${name}${dim(": created by an earlier version")}`);
  }
}
