/** Pods created and deleted for an owner, whose events say so, as with upstream's `PodControl`. */
import { messageOf } from "../../../errors.ts";
import type { SentObject } from "../../../kube/object.ts";
import { isNotFound } from "../../../kube/status.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import { PODS } from "../../builtin/tokens.ts";
import type { Tools } from "../controller.ts";

/** Creates a pod. @throws StatusError */
export async function createPod(
  { client, events }: Tools,
  owner: SentObject,
  pod: Pod,
): Promise<void> {
  let created: Pod;
  try {
    created = await client.create(PODS, pod);
  } catch (thrown) {
    const message = `Error creating: ${messageOf(thrown)}`;
    await events.record(owner, "Warning", "FailedCreate", message);
    throw thrown;
  }
  const message = `Created pod: ${created.metadata.name ?? ""}`;
  await events.record(owner, "Normal", "SuccessfulCreate", message);
}

/** Deletes a pod, unless it is gone. @throws StatusError */
export async function deletePod(
  { client, events }: Tools,
  owner: SentObject,
  { metadata }: Pod,
): Promise<void> {
  try {
    await client.remove(PODS, metadata, { uid: metadata.uid ?? "" });
  } catch (thrown) {
    if (isNotFound(thrown)) return;
    const message = `Error deleting: ${messageOf(thrown)}`;
    await events.record(owner, "Warning", "FailedDelete", message);
    throw thrown;
  }
  const message = `Deleted pod: ${metadata.name ?? ""}`;
  await events.record(owner, "Normal", "SuccessfulDelete", message);
}
