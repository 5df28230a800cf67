/** The finalizer that protects an object in use. */
import type { SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";

export function protectInUse(
  object: SentObject,
  finalizer: string,
  { plugins }: WriteContext,
): void {
  if (!plugins.isOn("StorageObjectInUseProtection")) return;
  const finalizers = (object.metadata.finalizers ??= []);
  if (!finalizers.includes(finalizer)) finalizers.push(finalizer);
}
