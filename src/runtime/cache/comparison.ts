/** Compares a cache with a list from the server: has the watch delivered everything? */
import type { KubeObject } from "../../kube/object.ts";
import { cacheKeyOf, type Indexer } from "./indexer.ts";
import { listAll } from "./list-pages.ts";
import type { ListerWatcher } from "./lister-watcher.ts";
import { problemOf } from "./readable-objects.ts";
import { isOlder } from "./resource-version.ts";

/** The contents of a cache for one kind. */
interface Known<T extends KubeObject> {
  readonly indexer: Indexer<T>;
  /** The version up to which the indexer is complete. */
  readonly version: () => string;
}

/**
 * Lists everything once, and returns a check of whether the cache lags behind that list.
 *
 * @returns whether the cache still holds an older version of an object, or one that was deleted
 * @throws StatusError, ConnectionError
 */
export async function compareWithServer<T extends KubeObject>(
  listerWatcher: ListerWatcher<T>,
  known: Known<T>,
  signal: AbortSignal,
): Promise<() => boolean> {
  const receive = (): void => undefined;
  const { list } = await listAll("", { listerWatcher, receive, inPages: true, signal });
  const version = list.metadata.resourceVersion ?? "";
  const readable = list.items.filter((item) => problemOf(item) === undefined);
  const listed = new Map(readable.map((item) => [cacheKeyOf(item), item.metadata.resourceVersion]));
  return () => isBehind(known, version, listed);
}

function isBehind<T extends KubeObject>(
  { indexer, version }: Known<T>,
  listVersion: string,
  listed: ReadonlyMap<string, string | undefined>,
): boolean {
  const last = version();
  if (!isOlder(last, listVersion)) return false;
  for (const [key, listedVersion] of listed) {
    // An object that the indexer lacks although its version was reached was deleted since.
    if (isOlder(indexer.peek(key)?.metadata.resourceVersion ?? last, listedVersion)) return true;
  }
  for (const [key, { metadata }] of indexer.entries()) {
    if (!listed.has(key) && isOlder(metadata.resourceVersion, listVersion)) return true;
  }
  return false;
}
