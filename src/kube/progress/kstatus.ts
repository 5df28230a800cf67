/**
 * The progress of an object: one word for every kind, by the rules of kstatus.
 *
 * @see https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
 */
import { isJsonObject } from "../json.ts";
import type { KubeObject } from "../object.ts";
import { parseApiVersion } from "../resource.ts";
import { KIND_RULES } from "./kstatus-rules.ts";
import { StatusView, type ObjectStatus } from "./status-view.ts";

/**
 * The progress of an object towards its desired state. Built-in kinds have rules of their own; any
 * other kind is `Current` unless its conditions `Ready`, `Reconciling` and `Stalled`, or its
 * `observedGeneration`, say otherwise.
 *
 * @example
 * const database = await client.find(Deployment, key);
 * const { status, message } = statusOf(database, nowMs);
 * if (status !== "Current") return { requeueAfterMs: 10_000 };
 *
 * @param object - the object as it was read; `undefined` is `NotFound`
 * @param nowMs - wall time in milliseconds, for pods that wait for a node: `context.nowMs` in a
 *   reconciler
 */
export function statusOf(object: KubeObject | undefined, nowMs: number): ObjectStatus {
  if (!object) return { status: "NotFound", message: "Resource not found" };
  const view = new StatusView(object, nowMs);
  const { group } = parseApiVersion(object.apiVersion);
  return (
    generalStatus(object, view) ??
    KIND_RULES.get(group === "" ? object.kind : `${group}/${object.kind}`)?.(view) ??
    readyStatus(view)
  );
}

/** The progress by the condition `Ready`, which many kinds have. */
function readyStatus(view: StatusView): ObjectStatus {
  const ready = view.conditions.find(
    ({ type, status }) => type === "Ready" && READINESS.has(status),
  );
  if (!ready) return { status: "Current", message: "Resource is current" };
  if (ready.status === "True") return { status: "Current", message: "Resource is Ready" };
  const { reason = "", message = "" } = ready;
  return { status: "InProgress", reason, message };
}

const READINESS = new Set(["True", "False", "Unknown"]);

/** The progress that the status of any kind may give; `undefined` when it does not. */
function generalStatus(object: KubeObject, view: StatusView): ObjectStatus | undefined {
  const { deletionTimestamp, generation } = object.metadata;
  if (deletionTimestamp) {
    return { status: "Terminating", message: "Resource scheduled for deletion" };
  }
  const observed = view.number("status.observedGeneration", -1);
  if (generation !== undefined && observed >= 0 && observed !== generation) {
    return {
      status: "InProgress",
      reason: "LatestGenerationNotObserved",
      message: `${object.kind} generation is ${generation}, but latest observed generation is ${observed}`,
    };
  }
  const { status } = object as { status?: unknown };
  if (status !== undefined && status !== null && !isJsonObject(status)) {
    return { status: "Unknown", message: `${object.kind} has a status that is not an object` };
  }
  const found = view.conditions.find(
    (condition) =>
      condition.status === "True" &&
      (condition.type === "Reconciling" || condition.type === "Stalled"),
  );
  if (!found) return undefined;
  const { reason = "", message = "" } = found;
  return { status: found.type === "Stalled" ? "Failed" : "InProgress", reason, message };
}
