/** The objects of dependents: their names, their owners, their deletion. */
import { formatKey, keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import {
  groupResourceOf,
  parseApiVersion,
  resourceOf,
  type ReadToken,
  type ResourceInfo,
} from "../../kube/resource.ts";
import { isInvalid, isNotFound } from "../../kube/status.ts";
import type { Client, DeleteOptions } from "../client/client.ts";
import { misused, type Wanted } from "./wanted-graph.ts";

/** An object that may be deleted, as it was last seen. */
export interface Deletable {
  readonly token: ReadToken;
  readonly object: KubeObject;
  readonly name: string;
  readonly node?: Wanted;
}

/**
 * The API server's wordings for an immutable field: of most fields, StatefulSets, claims, pods, and
 * Services.
 */
const IMMUTABLE =
  /field is immutable|spec is immutable after creation|updates to \w+ spec for fields other than|may not change fields other than|may not change once set/;

/** Whether the server refused a change of an immutable field. */
export function isImmutableChange(error: unknown): boolean {
  return isInvalid(error) && IMMUTABLE.test(error.message);
}

/** Whether two tokens have the same kind, in any version. */
export function isSameKind(a: ReadToken, b: ReadToken): boolean {
  return groupResourceOf(resourceOf(a)) === groupResourceOf(resourceOf(b));
}

/** The namespace of an object of the kind, where it has one. */
export function inNamespace(
  token: ReadToken,
  namespace: string | undefined,
): { namespace?: string } {
  return namespace !== undefined && resourceOf(token).namespaced ? { namespace } : {};
}

/** The name of an object in messages: `Deployment d/web`. */
export function nameOfKey(token: ReadToken, key: ObjectKey): string {
  return `${resourceOf(token).kind} ${formatKey(key)}`;
}

/** @throws TsopError `dependents-misused` for an object of another kind, or one that was not read */
export function assertOwner({ apiVersion, kind, metadata }: KubeObject, owner: ResourceInfo): void {
  if (kind !== owner.kind || parseApiVersion(apiVersion).group !== owner.group) {
    throw misused(
      `The ${kind} ${metadata.name} is not a ${owner.kind}, the kind that owns these dependents`,
      "Pass an object of the kind that for() was called with.",
    );
  }
  if (metadata.uid) return;
  throw misused(
    `The ${kind} ${metadata.name} has no uid, so it cannot own other objects`,
    "Pass the object as the API server returned it.",
  );
}

/** Deletes an object unless it changed since it was seen: its controller may be another. */
export async function deleteAsSeen(
  client: Client,
  { token, object }: Deletable,
  propagationPolicy: NonNullable<DeleteOptions["propagationPolicy"]>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { uid, resourceVersion, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined || uid === "" || resourceVersion === "") return;
  const options = {
    preconditions: { uid, resourceVersion },
    // Dependents are deleted with it: for Jobs that is not the server's default.
    propagationPolicy,
    ...(signal ? { signal } : {}),
  };
  await client.delete(token, keyOf(object), options).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
