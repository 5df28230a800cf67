/**
 * GET requests: one object, a list, a watch.
 *
 * @module
 */
import type { Cluster } from "./cluster.ts";
import { plainError } from "./failures.ts";
import { getObject, listObjects, waitForVersion } from "./list.ts";
import { parseListQuery, parseWatchQuery, versionProblem } from "./query.ts";
import { jsonAnswer, listObject } from "./render.ts";
import type { Answer, ResourceRequest } from "./request.ts";
import { Watch } from "./watch.ts";

/** GET of an object. */
export async function getRequest(cluster: Cluster, asked: ResourceRequest): Promise<Answer> {
  const { resource, request, namespace, name } = asked;
  const version = request.query.get("resourceVersion") ?? "";
  const problem = versionProblem(version);
  if (problem !== undefined) throw plainError(problem);
  await waitForVersion(cluster, resource, Number(version || "0"));
  return jsonAnswer(200, getObject(cluster, resource, namespace, name));
}

/** GET of a collection. */
export async function listRequest(cluster: Cluster, asked: ResourceRequest): Promise<Answer> {
  const { resource, request, namespace } = asked;
  const query = parseListQuery(request.query, resource, namespace);
  await waitForVersion(cluster, resource, Number(query.resourceVersion || "0"));
  return jsonAnswer(200, listObject(resource, listObjects(cluster, resource, query)));
}

/** GET with `watch`. */
export async function watchRequest(cluster: Cluster, asked: ResourceRequest): Promise<Answer> {
  const { resource, request, namespace, name, watchPrefix } = asked;
  const query = parseWatchQuery(request.query, resource, namespace);
  const fields =
    watchPrefix && name !== ""
      ? [...query.fields, { field: "metadata.name", operator: "=" as const, value: name }]
      : query.fields;
  const lines: string[] = [];
  let write = (line: string): void => void lines.push(line);
  let ended = false;
  let end = (): void => {
    ended = true;
  };
  const watch = new Watch(
    cluster,
    resource,
    { ...query, fields },
    {
      event: (event) => write(`${JSON.stringify(event)}\n`),
      end: () => end(),
    },
  );
  watch.start(request.signal);
  return {
    status: 200,
    headers: { "cache-control": "no-cache, private", "content-type": "application/json" },
    body: async (send) => {
      for (const line of lines) send(line);
      write = send;
      if (ended) return;
      await new Promise<void>((resolve) => {
        end = resolve;
        request.signal.addEventListener("abort", () => resolve(), { once: true });
        if (request.signal.aborted) resolve();
      });
    },
  };
}
