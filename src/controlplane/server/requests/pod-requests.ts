/** Binding and eviction of pods. */
import { quote } from "../../../kube/field-errors.ts";
import { copyJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import type { Status } from "../../../kube/status.ts";
import { admissionRequest, admitSubresource } from "../write/admitted.ts";
import { type DeletionBody, deletionOf, readObject } from "./body.ts";
import { type Cluster, type WriteOptions, mainEndpoint, timestamp } from "../cluster/cluster.ts";
import { matchNamespace } from "../write/match-path.ts";
import { deleteObject } from "../write/delete.ts";
import { badRequest, conflict, plainError } from "../../failures.ts";
import { spendBudget } from "../write/disruption-budget.ts";
import { getObject } from "../read/list.ts";
import { trackSubresource } from "../write/ownership.ts";
import { parseWriteQuery } from "./query.ts";
import type { Outcome, ResourceRequest } from "./request.ts";
import { updateObject } from "../write/update.ts";
import { writeOptions } from "./write-requests.ts";

const CREATED: Status = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  code: 201,
};

/** The field manager of the server's own changes. */
const SERVER = "kube-apiserver";
const BINDING = { group: "", version: "v1", kind: "Binding" };

interface Binding extends SentObject {
  readonly target?: { readonly kind?: string; readonly name?: string };
}

interface Pod extends SentObject {
  spec: { nodeName?: string; schedulingGates?: readonly object[] };
  status?: { phase?: string; conditions?: { type: string; status: string }[] };
}

/** POST of a `Binding` to a pod: puts it on a node, as a scheduler does. */
export async function bindRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const query = parseWriteQuery(asked.request.query, "create");
  const sent = await readObject(asked, query);
  const options = writeOptions(asked, query);
  matchNamespace(asked.resource, asked.namespace, sent);
  const { resource, subresource } = asked;
  const endpoint = { ...mainEndpoint(resource), subresource: subresource?.name ?? "" };
  if (sent.metadata.name === undefined && asked.name !== "") sent.metadata.name = asked.name;
  trackSubresource(cluster, BINDING, endpoint.subresource, sent, options.manager);
  const { namespace } = asked;
  const request = admissionRequest(
    {
      endpoint: { ...endpoint, kind: BINDING },
      namespace,
      name: sent.metadata.name ?? "",
      options,
    },
    "CREATE",
    { object: sent },
  );
  const binding: Binding = (await admitSubresource(cluster, request)) ?? sent;
  const name = asked.name === "" ? (binding.metadata.name ?? "") : asked.name;
  const { kind = "", name: node = "" } = binding.target ?? {};
  const problems = [
    ...(kind === "" || kind === "Node"
      ? []
      : [`target.kind: Unsupported value: ${quote(kind)}: supported values: "Node", "<empty>"`]),
    ...(node === "" ? ["target.name: Required value"] : []),
  ];
  const [problem] = problems;
  if (problem !== undefined) {
    throw plainError(problems.length > 1 ? `[${problems.join(", ")}]` : problem);
  }
  const pods = cluster.registry.preferred("", "pods");
  if (!pods) throw badRequest("pods are not served");
  const podEndpoint = mainEndpoint(pods);
  const write = {
    cluster,
    endpoint: { ...podEndpoint, strategy: bindingStrategy(podEndpoint.strategy) },
    namespace,
    name,
    options: { ...options, replaces: false },
  };
  await updateObject(write, (live) => bound(live as Pod, binding, node, timestamp(cluster.clock)));
  await cluster.store.durable();
  return { code: 201, object: CREATED };
}

/** The strategy of a binding, which sets fields that an update of the pod may not. */
function bindingStrategy<S extends object>(strategy: S): S {
  return Object.create(strategy, {
    prepareForUpdate: { value: () => undefined },
    validateUpdate: { value: () => [] },
  }) as S;
}

function bound(live: Pod, binding: Binding, node: string, now: string): Pod {
  const { name = "" } = live.metadata;
  const refuse = (why: string): Error =>
    conflict({ group: "", plural: "pods/binding" }, name, `pod ${name} ${why}`);
  if (live.metadata.deletionTimestamp !== undefined) {
    throw refuse("is being deleted, cannot be assigned to a host");
  }
  if (live.spec.nodeName) throw refuse(`is already assigned to node ${quote(live.spec.nodeName)}`);
  if (live.spec.schedulingGates?.length) throw refuse("has non-empty .spec.schedulingGates");
  const pod = copyJson(live);
  pod.spec.nodeName = node;
  const { annotations } = binding.metadata;
  if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: now,
  };
  pod.status = { ...pod.status, conditions: [...others, scheduled] };
  pod.metadata.generation = (pod.metadata.generation ?? 0) + 1;
  return pod;
}

interface Eviction extends SentObject {
  readonly deleteOptions?: DeletionBody;
}

/** POST of an `Eviction`: deletes the pod if its disruption budget allows. */
export async function evictRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const query = parseWriteQuery(asked.request.query, "create");
  const sent = await readObject(asked, query);
  if (sent.metadata.name !== asked.name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  matchNamespace(asked.resource, asked.namespace, sent);
  const { group = "", version = "" } = asked.subresource ?? {};
  const { resource, namespace, name } = asked;
  const endpoint = {
    resource,
    subresource: "eviction",
    kind: { group, version, kind: "Eviction" },
  };
  const request = admissionRequest(
    { endpoint, namespace, name, options: writeOptions(asked, query) },
    "CREATE",
    { object: sent },
  );
  const eviction: Eviction = (await admitSubresource(cluster, request)) ?? sent;
  const { dryRun, ...deletion } = deletionOf(eviction.deleteOptions ?? {});
  const options = writeOptions(asked, {
    fieldManager: query.fieldManager,
    dryRun: query.dryRun || dryRun.length > 0,
  });
  const pod = getObject(cluster, resource, namespace, name) as Pod;
  await spendBudget(cluster, pod, options, SERVER);
  if (!options.dryRun) await tellDisruption(cluster, asked, options);
  const write = { cluster, endpoint: mainEndpoint(resource), namespace, name, options };
  await deleteObject(write, deletion);
  await cluster.store.durable();
  return { code: 201, object: CREATED };
}

/** Records the reason of the eviction in a condition of the pod. */
async function tellDisruption(
  cluster: Cluster,
  { resource, namespace, name }: ResourceRequest,
  options: WriteOptions,
): Promise<void> {
  const status = resource.subresources.find((one) => one.name === "status")?.strategy;
  if (!status) return;
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(cluster.clock),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  const endpoint = { resource, subresource: "status", strategy: status };
  const write = { cluster, endpoint, namespace, name, options: { ...options, replaces: false } };
  await updateObject(write, (live) => {
    const pod = copyJson(live) as Pod;
    const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== condition.type);
    pod.status = { ...pod.status, conditions: [...others, condition] };
    return pod;
  });
}
