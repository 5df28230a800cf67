/**
 * The log of a pod's container. Containers are simulated and write nothing, so it is empty, and a warning says why.
 */
import type { ContainerStatus, Pod } from "../../builtin/kinds/core/pod/shape.ts";
import { Check } from "../../../kube/check.ts";
import { invalid, quote } from "../../../kube/field-errors.ts";
import { type Cluster, storedAt } from "../cluster/cluster.ts";
import { badRequest } from "../../failures.ts";
import { getObject } from "../read/list.ts";
import { booleanOption, integerOption } from "./query.ts";
import { NO_CACHE } from "./render.ts";
import type { Answer, ResourceRequest } from "./request.ts";

const LOG_NUMBERS = ["tailLines", "limitBytes", "sinceSeconds"];

/**
 * Checks the options of a log.
 *
 * @throws StatusError 400 when a value is not a number, 422 when the number is invalid
 */
function checkLogOptions({ request: { query }, name }: ResourceRequest): void {
  const numberOf = (option: string): number | undefined =>
    query.get(option) ? integerOption(query, option) : undefined;
  const [tailLines, limitBytes, sinceSeconds] = LOG_NUMBERS.map(numberOf);
  const errors = Check.errorsOf({ tailLines, limitBytes, sinceSeconds }, (options) => {
    if ((tailLines ?? 0) < 0) {
      options.at("tailLines").invalid("must be greater than or equal to 0");
    }
    if ((limitBytes ?? 1) < 1) options.at("limitBytes").invalid("must be greater than 0");
    if (sinceSeconds !== undefined && query.get("sinceTime")) {
      const detail = "at most one of `sinceTime` or `sinceSeconds` may be specified";
      options.child("[]", null).forbidden(detail);
    } else if ((sinceSeconds ?? 1) < 1) {
      options.at("sinceSeconds").invalid("must be greater than 0");
    }
    if ((query.get("stream") ?? "All") !== "All") {
      options.child("stream", null).forbidden("may not be specified");
    }
  });
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, name, errors);
}

/**
 * Checks that a pod has the container, or just one when the request names none.
 *
 * @returns its name
 * @throws StatusError 400
 */
export function chosenContainer({ spec }: Pod, { request, name }: ResourceRequest): string {
  const { initContainers = [], ephemeralContainers = [] } = spec;
  const containers = spec.containers ?? [];
  const all = [...initContainers, ...containers, ...ephemeralContainers];
  const names = all.map((container) => container.name);
  const wanted = request.query.get("container") ?? "";
  if (wanted !== "") {
    if (names.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  const [only] = containers;
  if (only && containers.length === 1) return only.name;
  const choice = containers.length === 0 ? "" : `, choose one of: [${names.join(" ")}]`;
  throw badRequest(`a container name must be specified for pod ${name}${choice}`);
}

/** GET of a container's log. */
export function podLog(cluster: Cluster, asked: ResourceRequest): Answer {
  const { resource, namespace, name, request, warnings } = asked;
  checkLogOptions(asked);
  const pod = getObject(cluster, resource, namespace, name) as Pod;
  const container = chosenContainer(pod, asked);
  const { nodeName = "" } = pod.spec;
  if (nodeName === "") return { status: 204, headers: NO_CACHE, body: "" };
  checkBegun(pod, container, booleanOption(request.query, "previous"));
  warnings.push(
    `pod ${name} runs on the simulated node ${nodeName}: its containers are not executed, so their logs are empty`,
  );
  const headers = { ...NO_CACHE, "content-type": "text/plain" };
  const follows = booleanOption(request.query, "follow");
  if (!follows || !isRunning(pod, container)) return { status: 200, headers, body: "" };
  return { status: 200, headers, body: () => untilEnded(cluster, asked, container) };
}

function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  const {
    initContainerStatuses: init = [],
    containerStatuses: main = [],
    ephemeralContainerStatuses: ephemeral = [],
  } = status ?? {};
  return [...init, ...main, ...ephemeral].find((one) => one.name === container);
}

const isRunning = (pod: Pod, container: string): boolean =>
  statusOf(pod, container)?.state?.running !== undefined;

/** @throws StatusError 400, in the words of a kubelet, for a container without a log */
function checkBegun(pod: Pod, container: string, previous: boolean): void {
  const named = `${quote(container)} in pod ${quote(pod.metadata.name ?? "")}`;
  const { state, lastState } = statusOf(pod, container) ?? {};
  if (previous) {
    if (lastState?.terminated) return;
    throw badRequest(`previous terminated container ${named} not found`);
  }
  if (state?.running || state?.terminated || lastState?.terminated) return;
  const reason = state?.waiting?.reason ?? "ContainerCreating";
  throw badRequest(`container ${named} is waiting to start: ${reason}`);
}

/** Resolves when the container no longer runs, the pod is gone, or the client is. */
function untilEnded(
  cluster: Cluster,
  { resource, namespace, name, request }: ResourceRequest,
  container: string,
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      release();
      resolve();
    };
    const look = (): void => {
      const pod = storedAt(cluster, resource, namespace, name) as Pod | undefined;
      if (!pod || !isRunning(pod, container)) end();
    };
    const release = cluster.store.subscribe(look);
    request.whenGone(end);
    look();
  });
}
