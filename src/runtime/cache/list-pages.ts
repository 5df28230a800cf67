/**
 * A whole list, page by page.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.36.3/tools/pager/pager.go
 * @module
 */
import type { KubeList, KubeObject } from "../../kube/object.ts";
import { isExpired } from "../../kube/status.ts";
import type { ListerWatcher } from "./lister-watcher.ts";

const PAGE_SIZE = 500;

/**
 * Lists everything at `resourceVersion` or newer. A continuation that has expired is replaced by one full list.
 *
 * @param inPages - asks for pages; a server may send some without being asked
 * @throws StatusError, ConnectionError
 */
export async function listAll<T extends KubeObject>(
  listerWatcher: ListerWatcher<T>,
  resourceVersion: string,
  inPages: boolean,
  signal: AbortSignal,
): Promise<{ readonly list: KubeList<T>; readonly paged: boolean }> {
  const limit = inPages ? { limit: PAGE_SIZE } : {};
  let list = await listerWatcher.list({ ...limit, resourceVersion }, signal);
  if (!list.metadata.continue) return { list, paged: false };
  const pages = [list.items];
  while (list.metadata.continue) {
    try {
      list = await listerWatcher.list({ ...limit, continue: list.metadata.continue }, signal);
    } catch (error) {
      if (!isExpired(error)) throw error;
      return { list: await listerWatcher.list({ resourceVersion }, signal), paged: true };
    }
    pages.push(list.items);
  }
  return { list: { ...list, items: pages.flat() }, paged: true };
}
