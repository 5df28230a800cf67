/** What a watcher sees of pods, their owners and events, as lines of text: the form of the recordings of a real node. */
import type { SentObject } from "../../../src/kube/object.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- fields of many kinds
export type Seen = SentObject & { status?: any; spec?: any; [field: string]: any };

interface State {
  readonly [kind: string]: { reason?: string; exitCode?: number; message?: string } | undefined;
}

interface ContainerLine {
  readonly name: string;
  readonly state?: State;
  readonly lastState?: State;
  readonly restartCount: number;
  readonly ready: boolean;
  readonly started?: boolean;
}

function stateText(state: State = {}): string {
  const [kind] = Object.keys(state);
  if (kind === undefined) return "-";
  const { reason, exitCode, message } = state[kind] ?? {};
  const code = exitCode === undefined ? "" : `(${exitCode})`;
  return `${kind}${reason ? `:${reason}` : ""}${code}${message ? ` "${message.trim()}"` : ""}`;
}

const containerLines = (label: string, list: readonly ContainerLine[] = []): string[] =>
  list.map(({ name, state, lastState = {}, restartCount, ready, started }) => {
    const last = Object.keys(lastState).length > 0 ? ` last ${stateText(lastState)}` : "";
    return `${label}${name} ${stateText(state)}${last} restarts=${restartCount} ready=${ready} started=${started ?? "-"}`;
  });

interface ConditionLine {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

const conditionLines = (list: readonly ConditionLine[] = []): string[] =>
  list.map(
    ({ type, status, reason, message }) =>
      `${type}=${status}${reason ? `:${reason}` : ""}${message ? ` "${message}"` : ""}`,
  );

export function podLines({ metadata, status: given, spec }: Seen): string[] {
  const status = given ?? {};
  return [
    `phase=${status.phase}${status.reason ? ` reason=${status.reason}` : ""}${status.message ? ` message="${status.message}"` : ""}`,
    spec.nodeName ? "bound" : "unbound",
    metadata.deletionTimestamp ? `deleting(${metadata.deletionGracePeriodSeconds ?? ""}s)` : "",
    status.podIP ? "ip" : "",
    `qos=${status.qosClass}`,
    status.observedGeneration === undefined
      ? ""
      : `gen=${status.observedGeneration}/${metadata.generation ?? ""}`,
    ...conditionLines(status.conditions),
    ...containerLines("init ", status.initContainerStatuses),
    ...containerLines("", status.containerStatuses),
    ...containerLines("ephemeral ", status.ephemeralContainerStatuses),
  ].filter((line) => line !== "");
}

/** The lines of a workload or a budget. */
export function ownerLines({ metadata, status = {} }: Seen): string[] {
  const { conditions, ...rest } = status;
  delete rest.startTime;
  delete rest.completionTime;
  const names = Object.keys(rest).concat(["ready", "succeeded", "failed", "active", "terminating"]);
  return [
    `gen=${metadata.generation ?? ""}`,
    JSON.stringify(rest, names.sort()),
    ...conditionLines(conditions),
  ];
}

export function eventLine({
  type,
  reason,
  source,
  involvedObject,
  count,
  message,
  reportingComponent,
}: Seen): string {
  const part = involvedObject.fieldPath ? ` ${involvedObject.fieldPath}` : "";
  return `${type} ${reason} ${source?.component || reportingComponent || "-"} ${involvedObject.kind}/${involvedObject.name}${part} x${count ?? 1} ${message}`;
}

/** The text without what differs between two runs: addresses, ids, times and generated names. */
export function cleaned(
  text: string,
  namespace: string,
  names: ReadonlyMap<string, string>,
): string {
  let result = text
    .replaceAll(namespace, "NS")
    .replace(/\b(?:\d{1,3}\.){3}\d{1,3}\b/g, "IP")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "UID")
    .replace(/[0-9a-f]{64}/g, "ID")
    .replace(/\b[0-9.]+m?s \([0-9.]+m?s including waiting\)/g, "DURATION")
    .replace(/node-1|node-0|tsop-node[-\w]*/g, "NODE")
    .replace(/kube-api-access-\w+/g, "kube-api-access-X")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
  for (const [from, to] of names) result = result.replaceAll(from, to);
  return result.replace(/\b(w)-[0-9a-f]{6,10}(-[a-z0-9]{5})?\b/g, "$1-HASH");
}
