/**
 * Read, change, write back: for objects that others write to as well and that server-side apply does not suit.
 *
 * @module
 */
import { copyJson, sameJson } from "../../kube/json.ts";
import type { KubeObject, ObjectKey } from "../../kube/object.ts";
import { apiVersionOf, resourceOf, type Token } from "../../kube/resource.ts";
import type { Client, NewObject } from "./client.ts";

/** What `createOrUpdate` had to do. */
export type CreateOrUpdateResult = "created" | "updated" | "unchanged";

/**
 * Makes the object of `key` as `mutate` wants it. `mutate` gets what is there, or only the name, and changes
 * it in place; where it changes nothing, nothing is written.
 *
 * @throws StatusError 409 when somebody else wrote in between: let the reconcile fail, it comes again
 */
export async function createOrUpdate<T extends KubeObject>(
  client: Client,
  token: Token<T>,
  key: ObjectKey,
  mutate: (object: NewObject<T>) => void,
): Promise<{ readonly result: CreateOrUpdateResult; readonly object: T }> {
  const found = await client.find(token, key);
  if (!found) {
    const resource = resourceOf(token);
    const fresh = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { ...key },
      // What else a T must have is what `mutate` is for.
    } as unknown as NewObject<T>;
    mutate(fresh);
    return { result: "created", object: await client.create(token, fresh) };
  }
  const changed: T = copyJson(found);
  mutate(changed);
  if (sameJson(found, changed)) return { result: "unchanged", object: found };
  return { result: "updated", object: await client.update(token, changed) };
}
