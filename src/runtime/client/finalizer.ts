/** Adds and removes one finalizer, and leaves those of others alone. */
import { hasFinalizer } from "../../kube/finalizers.ts";
import { keyOf, type KubeObject } from "../../kube/object.ts";
import type { ReadToken } from "../../kube/resource.ts";
import type { Client, WriteOptions } from "./client.ts";
import { mergePatch } from "./patches.ts";

/**
 * Adds the finalizer and returns the object; nothing is written when it has it.
 *
 * @example
 * const held = await addFinalizer(client, Web, web, "web.example.com/bucket");
 *
 * @throws StatusError 409 when the object changed since it was read
 */
export function addFinalizer<T extends KubeObject>(
  client: Client,
  token: ReadToken<T>,
  object: T,
  finalizer: string,
  options?: WriteOptions,
): Promise<T> {
  if (hasFinalizer(object, finalizer)) return Promise.resolve(object);
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return write(client, token, object, { finalizers, options });
}

/**
 * Removes the finalizer and returns the object; nothing is written when it is absent. Call it when
 * the cleanup is done.
 *
 * @example
 * await removeFinalizer(client, Web, web, "web.example.com/bucket");
 *
 * @throws StatusError 409 when the object changed since it was read
 */
export function removeFinalizer<T extends KubeObject>(
  client: Client,
  token: ReadToken<T>,
  object: T,
  finalizer: string,
  options?: WriteOptions,
): Promise<T> {
  if (!hasFinalizer(object, finalizer)) return Promise.resolve(object);
  const finalizers = (object.metadata.finalizers ?? []).filter((other) => other !== finalizer);
  return write(client, token, object, { finalizers, options });
}

/** The lock makes the server refuse a list that was built from an outdated one. */
function write<T extends KubeObject>(
  client: Client,
  token: ReadToken<T>,
  object: T,
  {
    finalizers,
    options,
  }: { readonly finalizers: string[]; readonly options?: WriteOptions | undefined },
): Promise<T> {
  const locked = { ...options, optimisticLock: object };
  return client.patch(token, keyOf(object), mergePatch({ metadata: { finalizers } }), locked);
}
