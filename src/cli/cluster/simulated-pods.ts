/** Whether a cluster only simulates its pods, as that of `tsop cluster` does. */
import { isForbidden } from "../../kube/status.ts";
import type { KubeObject, ManifestObject } from "../../kube/object.ts";
import type { ResourceType } from "../../kube/resource.ts";
import type { CliContext } from "../context.ts";
import { isConverted, isWebhookConfiguration } from "./local-webhooks.ts";
import { paint } from "../output.ts";
import type { ClusterSession } from "./cluster-session.ts";

/** A node, as far as it says what runs it. */
interface NodeObject extends KubeObject {
  readonly status?: { readonly nodeInfo?: { readonly containerRuntimeVersion?: string } };
}

const NODE: ResourceType = {
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  namespaced: false,
};

/** Notes that the webhooks among the objects answer nobody, where no program runs in the pods. */
export async function tellSilentWebhooks(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  context: CliContext,
): Promise<void> {
  if (!objects.some((object) => isWebhookConfiguration(object) || isConverted(object))) return;
  if (!(await hasSimulatedPods(session))) return;
  context.err(
    `${paint(context).yellow("note")} pods are simulated at ${session.server}, so the operator's webhooks answer nobody there, and what they are asked about is refused: use \`tsop run\` or \`tsop dev\`.`,
  );
}

/** The nodes of a control plane of tsop say so themselves; who may not see nodes is not told. */
async function hasSimulatedPods(session: ClusterSession): Promise<boolean> {
  try {
    const nodes: readonly NodeObject[] = await session.list(NODE);
    return nodes.some(({ status }) =>
      status?.nodeInfo?.containerRuntimeVersion?.startsWith("tsop://"),
    );
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}
