/** Whether a cluster only simulates its pods, as that of `tsop cluster` does. */
import { isForbidden } from "../../kube/status.ts";
import { Node } from "../../generated/k8s/core-v1.ts";
import type { ManifestObject } from "../../kube/object.ts";
import type { CliContext } from "../context.ts";
import { isConverted, isWebhookConfiguration } from "./local-webhooks.ts";
import { paint } from "../output.ts";
import type { ClusterSession } from "./cluster-session.ts";

/** Notes that the webhooks among the objects answer nobody, where no program runs in the pods. */
export async function tellSilentWebhooks(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  context: CliContext,
): Promise<void> {
  if (!objects.some((object) => isWebhookConfiguration(object) || isConverted(object))) return;
  if (!(await hasSimulatedPods(session))) return;
  context.err(
    `${paint(context).yellow("note")} pods are simulated at ${session.server}, so nothing serves the operator's webhooks there, and matching requests are rejected: use \`tsop run\` or \`tsop dev\`.`,
  );
}

/** The nodes of a control plane of tsop say so themselves; who may not see nodes is not told. */
async function hasSimulatedPods(session: ClusterSession): Promise<boolean> {
  try {
    const nodes = await session.list(Node);
    return nodes.some(({ status }) =>
      status?.nodeInfo?.containerRuntimeVersion.startsWith("tsop://"),
    );
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}
