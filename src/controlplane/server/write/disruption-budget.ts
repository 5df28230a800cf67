/**
 * The check of an eviction against the pod's disruption budget.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
import type { DisruptionBudget } from "../../builtin/kinds/policy/pod-disruption-budget.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import { BUDGETS } from "../../builtin/tokens.ts";
import { collectionOf } from "../../resource-name.ts";
import { copyJson } from "../../../kube/json.ts";
import { matchesLabelSelector } from "../../../kube/selectors/selector.ts";
import { type StatusError, failure } from "../../../kube/status.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import {
  type Cluster,
  type WriteOptions,
  subresourceEndpoint,
  timestamp,
} from "../cluster/cluster.ts";
import { forbiddenTo, plainError } from "../../failures.ts";
import { trackChange } from "./field-ownership.ts";
import { updateObject } from "./update.ts";
import { present } from "../../../present.ts";

/** The most unconfirmed evictions. */
const DISRUPTED_MAX = 2000;
const RETRY_SECONDS = 10;

/**
 * Takes one disruption from the budget of a pod to evict; a pod whose eviction is no disruption
 * needs none.
 *
 * @throws StatusError 429 when the budget has none left, 403 when its status is invalid, 500 for two
 * budgets
 */
export async function spendBudget(
  cluster: Cluster,
  pod: Pod,
  options: WriteOptions,
): Promise<void> {
  const { phase } = pod.status ?? {};
  const harmless = phase === "Succeeded" || phase === "Failed" || phase === "Pending";
  if (harmless || pod.metadata.deletionTimestamp !== undefined) return;
  const { namespace = "", labels } = pod.metadata;
  const budgets = cluster.store
    .list(collectionOf(BUDGETS), namespace)
    .filter(({ spec }) => matchesLabelSelector(spec?.selector, labels));
  if (budgets.length > 1) {
    throw plainError(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }
  const [budget] = budgets;
  const resource = cluster.registry.preferred(BUDGETS.group, BUDGETS.plural);
  const endpoint = resource && subresourceEndpoint(resource, "status");
  if (!budget || !endpoint || (!isReady(pod) && mayGoUnready(budget))) return;
  const { name = "" } = budget.metadata;
  const by = { ...options, manager: "kube-apiserver", replaces: false };
  const write = { cluster, endpoint, namespace, name, options: by };
  await updateObject(write, (live) => {
    checkBudget(live);
    const next = spent(live, pod, timestamp(cluster.clock));
    trackChange(write, live, next);
    return next;
  });
}

const isReady = ({ status: { conditions = [] } = {} }: Pod): boolean =>
  conditions.some(({ type, status }) => type === "Ready" && status === "True");

/**
 * Whether a pod that is not ready may be evicted: it does not count as healthy, so it may while
 * enough others are.
 */
function mayGoUnready({ spec, status = {} }: DisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

function spent(live: DisruptionBudget, pod: Pod, time: string): DisruptionBudget {
  const budget = copyJson(live);
  const status = (budget.status ??= {});
  status.disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  status.disruptedPods = { ...status.disruptedPods, [pod.metadata.name ?? ""]: time };
  if (status.disruptionsAllowed === 0) status.conditions = exhausted(status, time);
  return budget;
}

/** The conditions of a budget that allows no more disruptions. */
function exhausted(
  { conditions = [], observedGeneration = 0 }: NonNullable<DisruptionBudget["status"]>,
  time: string,
): Condition[] {
  const old = conditions.find(({ type }) => type === "DisruptionAllowed");
  const since = old?.status === "False" ? old.lastTransitionTime : time;
  const condition: Condition = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "InsufficientPods",
    message: "",
    observedGeneration,
    ...present({ lastTransitionTime: since }),
  };
  return [...conditions.filter((one) => one !== old), condition];
}

/** @throws StatusError 403 or 429 */
function checkBudget({ metadata, status = {} }: DisruptionBudget): void {
  const name = metadata.name ?? "";
  const { disruptionsAllowed = 0, disruptedPods = {} } = status;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw refused(`${name} is still being processed by the server.`, RETRY_SECONDS);
  }
  const broken = (why: string): StatusError =>
    forbiddenTo({ group: "policy", plural: "poddisruptionbudget" }, name, why);
  if (disruptionsAllowed < 0) throw broken("pdb disruptions allowed is negative");
  if (Object.keys(disruptedPods).length > DISRUPTED_MAX) {
    throw broken("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (disruptionsAllowed === 0) throw refused(`${name} ${reasonOf(status)}`);
}

function reasonOf({
  conditions = [],
  currentHealthy = 0,
  desiredHealthy = 0,
}: NonNullable<DisruptionBudget["status"]>): string {
  const no = "does not allow evicting pods currently";
  const refusal = conditions.find(
    ({ type, status, message }) =>
      type === "DisruptionAllowed" && status === "False" && (message ?? "") !== "",
  );
  if (refusal?.reason === "SyncFailed") {
    return `${no} because it failed sync: ${refusal.message ?? ""}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  return refusal ? `${no} (${refusal.reason ?? ""}): ${refusal.message ?? ""}` : no;
}

const refused = (why: string, retryAfterSeconds?: number): StatusError =>
  failure(
    429,
    "TooManyRequests",
    "Cannot evict pod as it would violate the pod's disruption budget.",
    {
      causes: [{ reason: "DisruptionBudget", message: `The disruption budget ${why}` }],
      ...present({ retryAfterSeconds }),
    },
  );
