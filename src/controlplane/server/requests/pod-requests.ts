/** Binding and eviction of pods. */
import type { Binding } from "../../../generated/k8s/core-v1.ts";
import type { Eviction } from "../../../generated/k8s/policy-v1.ts";
import { quote } from "../../../kube/field-errors.ts";
import { copyJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import type { Status } from "../../../kube/status.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Loose, Sent } from "../../builtin/shared/shapes.ts";
import { admitSubresource } from "../write/admitted.ts";
import { bindPod, setPodCondition } from "../write/binding.ts";
import { deletionOf, readObject } from "./body.ts";
import {
  type Cluster,
  type Write,
  type WriteOptions,
  mainEndpoint,
  subresourceEndpoint,
  timestamp,
} from "../cluster/cluster.ts";
import { matchNamespace } from "../write/match-path.ts";
import { deleteObject } from "../write/delete.ts";
import { badRequest, plainError } from "../../failures.ts";
import { spendBudget } from "../write/disruption-budget.ts";
import { getObject } from "../read/list.ts";
import { trackChange } from "../write/field-ownership.ts";
import { writeOptions } from "./query.ts";
import type { Outcome, ResourceRequest } from "./request.ts";
import { updateObject } from "../write/update.ts";

const CREATED: Status = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  code: 201,
};

/** A write of an object that is not stored, whose kind is that of the path. */
export function sentWrite(
  cluster: Cluster,
  { resource, subresource, namespace, name }: ResourceRequest,
  options: WriteOptions,
): Write {
  const kind = subresource ?? resource;
  const endpoint = { ...mainEndpoint(resource), subresource: subresource?.name ?? "", kind };
  return { cluster, endpoint, namespace, name, options };
}

/** POST of a `Binding` to a pod: puts it on a node, as a scheduler does. */
export async function bindRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const { resource, namespace } = asked;
  const options = writeOptions(asked, "create");
  const sent = await readObject(asked, options);
  matchNamespace(resource, namespace, sent);
  if (asked.name !== "") sent.metadata.name ??= asked.name;
  const { name: sentName = "" } = sent.metadata;
  const sending = { ...sentWrite(cluster, asked, options), name: sentName };
  trackChange(sending, undefined, sent);
  const binding: Sent<Binding> = await admitSubresource(sending, sent);
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
  const { annotations = {} } = binding.metadata;
  await bindPod({ cluster, namespace, name, options }, node, annotations);
  await cluster.store.durable();
  return { code: 201, object: CREATED };
}

/** POST of an `Eviction`: deletes the pod if its disruption budget allows. */
export async function evictRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const { resource, namespace, name } = asked;
  const requested = writeOptions(asked, "create");
  const sent = await readObject(asked, requested);
  if (sent.metadata.name !== name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  matchNamespace(resource, namespace, sent);
  const sending = sentWrite(cluster, asked, requested);
  const eviction: SentObject & Loose<Pick<Eviction, "deleteOptions">> = await admitSubresource(
    sending,
    sent,
  );
  const { dryRun, ...deletion } = deletionOf(eviction.deleteOptions ?? {});
  // The options of the eviction are not those of the writes that follow from it.
  const options = { ...requested, dryRun: requested.dryRun || dryRun.length > 0, asked: {} };
  const pod = getObject(cluster, resource, namespace, name) as Pod;
  await spendBudget(cluster, pod, options);
  const write = { cluster, endpoint: mainEndpoint(resource), namespace, name, options };
  if (!options.dryRun) await tellDisruption(write);
  await deleteObject(write, deletion);
  await cluster.store.durable();
  return { code: 201, object: CREATED };
}

/** Records the reason of the eviction in a condition of the pod. */
async function tellDisruption(write: Write): Promise<void> {
  const endpoint = subresourceEndpoint(write.endpoint.resource, "status");
  if (!endpoint) return;
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    lastTransitionTime: timestamp(write.cluster.clock),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  const options = { ...write.options, replaces: false };
  await updateObject({ ...write, endpoint, options }, (live) => {
    const pod = copyJson(live) as Pod;
    setPodCondition(pod, condition);
    return pod;
  });
}
