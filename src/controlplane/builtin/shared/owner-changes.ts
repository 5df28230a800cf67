/** What a change of owners alone may do without the rights that other changes need. */
import { sameJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";

/**
 * Whether only owner references and the like change, as by the garbage collector: that grants
 * nothing.
 */
export function changesNothingButOwners(object: SentObject, old: SentObject): boolean {
  const rest = ({ metadata, ...parts }: SentObject): object => ({
    ...parts,
    metadata: {
      ...metadata,
      ownerReferences: [],
      finalizers: [],
      managedFields: [],
      resourceVersion: "",
    },
  });
  return sameJson(rest(object), rest(old));
}
