/**
 * Requests for a connection to a pod, a Service or a node. Nothing runs
 * behind these here, so an allowed request ends with the answer of a real server that cannot reach
 * its target.
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import { asObject } from "../../../kube/json.ts";
import { quote } from "../../../kube/field-errors.ts";
import type { JsonObject } from "../../../kube/object.ts";
import { failure } from "../../../kube/status.ts";
import { admitSubresource } from "../write/admitted.ts";
import { type Cluster, storedAt } from "../cluster/cluster.ts";
import { badRequest, internalError, notFound } from "../../failures.ts";
import { getObject } from "../read/list.ts";
import { chosenContainer } from "./pod-logs.ts";
import { sentWrite } from "./pod-requests.ts";
import { booleanOption, plainOptions } from "./query.ts";
import type { Answer, ResourceRequest } from "./request.ts";

const STREAMS = ["stdin", "stdout", "stderr", "tty"];

/** The options of a connection, from its query. */
function connectionOptions({ request, subresource, rest }: ResourceRequest): JsonObject {
  const { query } = request;
  switch (subresource?.name) {
    case "exec":
    case "attach": {
      const streams = STREAMS.filter((name) => booleanOption(query, name));
      const command = query.getAll("command");
      return {
        ...Object.fromEntries(streams.map((name) => [name, true])),
        ...(query.get("container") ? { container: query.get("container") } : {}),
        ...(subresource.name === "exec" && command.length > 0 ? { command } : {}),
      };
    }
    case "portforward": {
      const ports = query.getAll("ports").flatMap((text) => text.split(",").map(Number));
      return ports.length > 0 ? { ports } : {};
    }
    default:
      return { path: `/${rest ?? ""}` };
  }
}

/** `exec`, `attach`, `portforward` and `proxy`, with any verb. */
export async function connectRequest(cluster: Cluster, asked: ResourceRequest): Promise<Answer> {
  const { version = "", kind = "" } = asked.subresource ?? {};
  // Options have no metadata, unlike everything else that is admitted.
  const object = asObject({ kind, apiVersion: version, ...connectionOptions(asked) });
  await admitSubresource(sentWrite(cluster, asked, plainOptions(asked)), object, "CONNECT");
  throw unreachable(cluster, asked);
}

function podUnreachable(cluster: Cluster, asked: ResourceRequest): Error {
  const { resource, subresource, namespace, name } = asked;
  const pod = getObject(cluster, resource, namespace, name) as Pod;
  if (subresource?.name === "proxy" && !pod.status?.podIP) return badRequest("address not allowed");
  if (subresource?.name === "exec" || subresource?.name === "attach") chosenContainer(pod, asked);
  const { nodeName = "" } = pod.spec;
  if (nodeName === "") return badRequest(`pod ${name} does not have a host assigned`);
  return internalError(
    `pod ${name} runs on the simulated node ${nodeName}, which runs no programs`,
  );
}

/** The error that the target cannot be reached. */
function unreachable(cluster: Cluster, asked: ResourceRequest): Error {
  const { resource, namespace, name } = asked;
  if (resource.plural === "pods") return podUnreachable(cluster, asked);
  // A Service may have a scheme and a port: `https:web:8443`.
  const parts = name.split(":");
  const target = parts.length === 1 ? name : (parts[parts.length === 2 ? 0 : 1] ?? "");
  const unavailable = (why: string): Error => failure(503, "ServiceUnavailable", why);
  // A Service that does not exist has no endpoints either.
  if (resource.plural === "services") {
    return unavailable(`no endpoints available for service ${quote(target)}`);
  }
  if (!storedAt(cluster, resource, namespace, target)) return notFound(resource, target);
  return unavailable(`node ${quote(target)} cannot be reached: it is simulated`);
}
