/**
 * A whole list, page by page.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.36.3/tools/pager/pager.go
 */
import type { KubeList, KubeObject } from "../../kube/object.ts";
import { isExpired } from "../../kube/status.ts";
import type { ListerWatcher, ListWatchOptions } from "./lister-watcher.ts";

const PAGE_SIZE = 500;

/** The source of a list, and the callback for the objects of each page as it arrives. */
interface Paging<T extends KubeObject> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly receive: (object: T) => void;
  /** Asks for pages; a server may send some without being asked. */
  readonly inPages: boolean;
  readonly signal: AbortSignal;
}

/**
 * Lists everything at `resourceVersion` or newer. A continuation that has expired is replaced by one full list.
 *
 * @throws StatusError, ConnectionError
 */
export async function listAll<T extends KubeObject>(
  resourceVersion: string,
  paging: Paging<T>,
): Promise<{ readonly list: KubeList<T>; readonly paged: boolean }> {
  const limit = paging.inPages ? { limit: PAGE_SIZE } : {};
  let list = await listPage(paging, { ...limit, resourceVersion });
  if (!list.metadata.continue) return { list, paged: false };
  const pages = [list.items];
  while (list.metadata.continue) {
    try {
      list = await listPage(paging, { ...limit, continue: list.metadata.continue });
    } catch (error) {
      if (!isExpired(error)) throw error;
      return { list: await listPage(paging, { resourceVersion }), paged: true };
    }
    pages.push(list.items);
  }
  return { list: { ...list, items: pages.flat() }, paged: true };
}

function listPage<T extends KubeObject>(
  { listerWatcher, receive, signal }: Paging<T>,
  options: ListWatchOptions,
): Promise<KubeList<T>> {
  return listerWatcher.list(options, signal, receive);
}
