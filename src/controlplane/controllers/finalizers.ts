/** Finalizers that protect objects in use. */
import type { SentObject } from "../../kube/object.ts";
import type { ControllerClient } from "./client.ts";
import type { ResourceName } from "../resource-name.ts";

/**
 * Removes the finalizer of an object that is being deleted and not in use. Other objects stay as
 * they are.
 */
export async function dropFinalizer(
  client: ControllerClient,
  resource: ResourceName,
  object: SentObject | undefined,
  finalizer: string,
): Promise<void> {
  const { finalizers = [], deletionTimestamp } = object?.metadata ?? {};
  if (!object || !deletionTimestamp || !finalizers.includes(finalizer)) return;
  const rest = finalizers.filter((one) => one !== finalizer);
  const metadata = { finalizers: rest.length > 0 ? rest : null };
  await client.patch(resource, object.metadata, { metadata });
}
