import type { SentObject, ObjectKey } from "../../../kube/object.ts";
import { type ResourceInfo, parseApiVersion } from "../../../kube/resource.ts";
import { msOf } from "../../../kube/values/times.ts";
import type { ControllerClient } from "./client.ts";

/** `namespace/name`, with an empty namespace for cluster-scoped objects. */
export function textOf(object: SentObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
}

/** The key that `textOf` wrote. */
export function keyFrom(text: string): ObjectKey & { readonly namespace: string } {
  const slash = text.indexOf("/");
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

export function byName(left: SentObject, right: SentObject): number {
  return (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1;
}

/** Orders objects by age, the oldest first; those of the same second by name. */
export function byAge(left: SentObject, right: SentObject): number {
  const ageOf = ({ metadata }: SentObject): number => msOf(metadata.creationTimestamp);
  return ageOf(left) - ageOf(right) || byName(left, right);
}

/** The resource of the objects that a reference means; `undefined` when it is not served. */
export function referredResource(
  client: ControllerClient,
  { apiVersion, kind }: Pick<SentObject, "apiVersion" | "kind">,
): ResourceInfo | undefined {
  const { group } = parseApiVersion(apiVersion);
  return client.resources().find((served) => served.group === group && served.kind === kind);
}
