/** Waits until the pods of a deleted Deployment have ended. */
import type { KubeObject, ManifestObject } from "../../kube/object.ts";
import type { CliContext } from "../context.ts";
import type { ClusterSession } from "./cluster-session.ts";
import { waitUntil } from "./waiting.ts";

/** An object with pods, as far as its pods are found by it. */
interface Workload extends ManifestObject {
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
}

/** How many of the pods are named. */
const NAMED = 3;

/**
 * Resolves when no pod of the workload runs. Whoever may not list pods does not wait.
 *
 * @throws TsopError `timeout`
 */
export async function waitForPods(
  session: ClusterSession,
  { metadata, spec }: Workload,
  timeoutSeconds: number,
  context: CliContext,
): Promise<void> {
  const { namespace = "default" } = metadata;
  const labels = Object.entries(spec?.selector?.matchLabels ?? {});
  const resource = await session.findResource({ apiVersion: "v1", kind: "Pod" });
  if (!resource || labels.length === 0) return;
  if (!(await session.isAllowed("list", resource, namespace))) return;
  const isOne = (pod: KubeObject): boolean =>
    (pod.metadata.ownerReferences ?? []).length > 0 &&
    labels.every(([key, value]) => pod.metadata.labels?.[key] === value);
  await waitUntil(context, timeoutSeconds, async () => {
    const names = (await session.list(resource, namespace))
      .filter(isOne)
      .map((pod) => `${namespace}/${pod.metadata.name}`);
    if (names.length === 0) return undefined;
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
    const isOnly = names.length === 1;
    return `${isOnly ? "the pod" : "the pods"} ${names.slice(0, NAMED).join(", ")}${more} still ${isOnly ? "runs" : "run"}`;
  });
}
