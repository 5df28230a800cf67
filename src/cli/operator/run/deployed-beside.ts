/** The deployed operator of a project that also runs on this machine: both reconcile the same objects. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Deployment } from "../../../generated/k8s/apps-v1.ts";
import type { ManifestObject } from "../../../kube/object.ts";
import { isForbidden } from "../../../kube/status.ts";
import { ConnectionError } from "../../../runtime/transport/transport.ts";
import type { ClusterSession } from "../../cluster/cluster-session.ts";
import type { CliContext } from "../../context.ts";
import { renderKustomization } from "../../kustomize/render.ts";
import { paint } from "../../output.ts";
import type { Project } from "../../project/project-file.ts";

const DEPLOYMENT = "config/default";

/** How the operator runs here. */
interface RunHere {
  /** The arguments of the operator. */
  readonly args: readonly string[];
  /** The namespace of the context, in which it holds its Lease. */
  readonly namespace: string;
}

/**
 * Notes that the operator of the project runs in the cluster as well, unless both compete for one Lease. Whoever may not
 * see that gets no note; whether the cluster can be reached is reported elsewhere.
 *
 * @throws TsopError what keeps `config/default` from being rendered
 */
export async function tellDeployedBeside(...args: Parameters<typeof tell>): Promise<void> {
  try {
    await tell(...args);
  } catch (error) {
    if (!isForbidden(error) && !(error instanceof ConnectionError)) throw error;
  }
}

async function tell(
  session: ClusterSession,
  { root }: Pick<Project, "root">,
  here: RunHere,
  context: CliContext,
): Promise<void> {
  if (!existsSync(join(root, DEPLOYMENT))) return;
  const elects = here.args.some((arg) => /^--leader-elect(?:=true)?$/.test(arg));
  for (const wanted of operatorsIn(await renderKustomization(join(root, DEPLOYMENT)))) {
    const { name, namespace = "default" } = wanted.metadata;
    if (elects && namespace === here.namespace) continue;
    const live = (await session.find(wanted)) as Deployment | undefined;
    const replicas = live?.spec?.replicas ?? 1;
    if (!live || replicas === 0) continue;
    const count = `${replicas} ${replicas === 1 ? "replica" : "replicas"}`;
    const why = elects
      ? ` Its Lease is in the namespace ${namespace}, and the Lease of this run in ${here.namespace}, so both lead.`
      : "";
    const { yellow, dim } = paint(context);
    context.err(
      `${yellow("note")} the operator also runs in the cluster, as ${await session.describe(live)} (${count}): both reconcile the same objects.${why}`,
    );
    context.err(
      dim(
        `  Stop it during this run: kubectl scale -n ${namespace} deployment/${name} --replicas=0`,
      ),
    );
  }
}

/** The Deployments whose pods have an account of the project. */
function operatorsIn(objects: readonly ManifestObject[]): readonly ManifestObject[] {
  const accounts = new Set(
    objects.flatMap(({ kind, metadata }) => (kind === "ServiceAccount" ? [metadata.name] : [])),
  );
  return objects.filter((object) => {
    if (object.kind !== "Deployment") return false;
    const { serviceAccountName = "" } = (object as Deployment).spec?.template.spec ?? {};
    return accounts.has(serviceAccountName);
  });
}
