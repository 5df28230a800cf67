/** GET requests: one object, a list, a watch. */
import type { SentObject } from "../../../kube/object.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { plainError } from "../../failures.ts";
import {
  getObject,
  listObjects,
  type ListPage,
  type ListQuery,
  waitForVersion,
} from "../read/list.ts";
import type { Presenter } from "./presenter.ts";
import { checkPlace, parseListQuery, parseWatchQuery, versionProblem } from "./query.ts";
import { NO_CACHE } from "./render.ts";
import type { Answer, Outcome, ResourceRequest } from "./request.ts";
import { converting, convertingList, corrupt } from "../cluster/versions.ts";
import { Watch } from "../read/watch.ts";

export async function getRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  return { code: 200, object: await readOne(cluster, asked) };
}

/**
 * The requested object, at least as new as requested.
 *
 * @throws StatusError 404 when it does not exist, 500 for a resourceVersion that is not a number,
 * 504 for a future one
 */
export async function readOne(
  cluster: Cluster,
  { resource, request, namespace, name }: ResourceRequest,
): Promise<SentObject> {
  const version = request.query.get("resourceVersion") ?? "";
  const problem = versionProblem(version);
  if (problem !== undefined) throw plainError(problem);
  await waitForVersion(cluster, resource, Number(version || "0"));
  return converting(cluster, () => getObject(cluster, resource, namespace, name), corrupt);
}

/** GET of a collection. */
export async function listRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  return { page: await readPage(cluster, asked, parseListQuery(asked)) };
}

/** The objects that a query selects, at least as new as requested. @throws StatusError */
export async function readPage(
  cluster: Cluster,
  { resource }: ResourceRequest,
  query: ListQuery,
): Promise<ListPage> {
  checkPlace(query);
  await waitForVersion(cluster, resource, Number(query.resourceVersion || "0"));
  const { namespace, limit, labels, fields } = query;
  const isPaged = limit > 0 && labels.length === 0 && fields.length === 0;
  const read = (): ListPage => listObjects(cluster, resource, query);
  return convertingList(cluster, resource, namespace, isPaged, read);
}

/**
 * GET with `watch`.
 *
 * @throws StatusError 400, 406, 422, or 500 for a resourceVersion that is not a number
 */
export function watchRequest(
  cluster: Cluster,
  asked: ResourceRequest,
  presenter: Presenter,
): Answer {
  const { resource, request, name, watchPrefix } = asked;
  const query = parseWatchQuery(asked);
  const problem = versionProblem(query.resourceVersion);
  if (problem !== undefined) throw plainError(problem);
  presenter.requireStream();
  const fields =
    watchPrefix && name !== ""
      ? [...query.fields, { field: "metadata.name", operator: "=" as const, value: name }]
      : query.fields;
  // Events may arrive before the head of the answer is written.
  const early: string[] = [];
  let write = (line: string): void => void early.push(line);
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const watch = new Watch(
    cluster,
    resource,
    { ...query, fields },
    { event: (event) => write(presenter.event(event)), end: finish },
  );
  request.whenGone(() => {
    watch.stop();
    finish();
  });
  watch.start();
  return {
    status: 200,
    headers: { ...NO_CACHE, "content-type": "application/json" },
    webSocket: true,
    body: async (send) => {
      early.forEach(send);
      write = send;
      await finished;
    },
  };
}
