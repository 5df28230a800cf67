/** ComponentStatuses: nothing stores them, they are the state of the cluster's components now. */
import { asObject } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { notFound } from "../../failures.ts";
import { isSelected } from "../read/list.ts";
import { checkPlace, parseListQuery } from "./query.ts";
import type { Outcome, ResourceRequest } from "./request.ts";

/** The ports of the components beside the server. */
const CONTROLLERS = [
  ["scheduler", 10_259],
  ["controller-manager", 10_257],
] as const;

function statuses({ runsControllers }: Cluster): SentObject[] {
  const status = (name: string, problem?: string): SentObject =>
    asObject({
      kind: "ComponentStatus",
      apiVersion: "v1",
      metadata: { name },
      conditions: [
        {
          type: "Healthy",
          status: problem === undefined ? "True" : "False",
          message: problem ?? "ok",
        },
      ],
    });
  const controllers = CONTROLLERS.map(([name, port]) => {
    const dial = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
    return status(
      name,
      runsControllers ? undefined : `Get "https://127.0.0.1:${port}/healthz": ${dial}`,
    );
  });
  return [...controllers, status("etcd-0")];
}

/** @throws StatusError for invalid options */
export function listComponentStatuses(cluster: Cluster, asked: ResourceRequest): Outcome {
  const query = parseListQuery(asked);
  checkPlace(query);
  const items = statuses(cluster).filter((one) => isSelected(asked.resource, query, one));
  return { page: { metadata: {}, items } };
}

/** @throws StatusError 404 */
export function getComponentStatus(cluster: Cluster, { resource, name }: ResourceRequest): Outcome {
  const object = statuses(cluster).find(({ metadata }) => metadata.name === name);
  if (!object) throw notFound({ ...resource, plural: "componentstatus" }, name);
  return { code: 200, object };
}
