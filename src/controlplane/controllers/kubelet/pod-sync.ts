/** The three jobs of a pod's worker: SyncPod, SyncTerminatingPod and SyncTerminatedPod of the kubelet. */
import { startContainer } from "./container-start.ts";
import { killContainer, killPod } from "./container-stop.ts";
import { mountProblems } from "./missing-references.ts";
import type { PodParts } from "./pod-parts.ts";
import { type PodActions, podActions } from "./runtime/pod-actions.ts";
import { isSidecar, placeOf } from "./runtime/runtime-state.ts";
import { withSandbox } from "./status/pod-conditions.ts";
import { isTerminal } from "./status/pod-phase.ts";
import { podStatus } from "./status/pod-status.ts";
import type { Work } from "./work.ts";

/** The result of a SyncPod. */
export interface Synced {
  /** Whether the pod is over, and its containers are to end. */
  readonly isOver: boolean;
  /** Whether something was done, so that the runtime is to be looked at again. */
  readonly hasActed: boolean;
  /** Whether the status is to be looked at again. */
  readonly hasResized?: boolean;
  /** When to try again after a failure; `undefined` without one. */
  readonly retryAtMs?: number;
}

const RETRY_MS = 10_000;
const FIRST_MOUNT_MS = 500;
const LONGEST_MOUNT_MS = 122_000;

const IDLE: Synced = { isOver: false, hasActed: false };

/** Brings the containers of the pod to where they should be. */
export async function* syncPod(parts: PodParts): Work<Synced> {
  const { statuses, probes } = parts;
  await followResize(parts);
  const status = await podStatus(parts, parts.seen, false);
  statuses.set(status);
  await parts.write(true);
  if (isTerminal(status.phase)) return { ...IDLE, isOver: true };
  if (!(yield* mountVolumes(parts))) return IDLE;
  probes.add(parts.pod, parts.simulation, parts.nowMs);
  const actions = actionsOf(parts);
  let hasActed = yield* stopWhatMust(parts, actions);
  if (actions.killsPod && !actions.createsSandbox) return { ...IDLE, hasActed };
  if (actions.createsSandbox) {
    hasActed = true;
    if (parts.timing.sandboxMs > 0) yield parts.timing.sandboxMs;
    parts.runtime.startSandbox(parts.setting.address);
    const { conditions = [], ...rest } = statuses.status ?? status;
    statuses.set({ ...rest, conditions: withSandbox(parts.pod, conditions, parts.nowMs) });
    await parts.write(true);
  }
  for (const name of actions.resizes) {
    hasActed = true;
    parts.runtime.resize(parts.pod, name);
  }
  const { retryAtMs, hasStarted } = yield* startAll(parts, actions);
  return {
    isOver: false,
    hasActed: retryAtMs === undefined && (hasActed || hasStarted),
    hasResized: actions.resizes.length > 0,
    ...(retryAtMs === undefined ? {} : { retryAtMs }),
  };
}

const actionsOf = (parts: PodParts): PodActions =>
  podActions(parts.pod, parts.seen, {
    isDead(container) {
      if (parts.probes.verdict(container, "liveness") === false) return "liveness";
      return parts.probes.verdict(container, "startup") === false ? "startup" : undefined;
    },
    isStarted: (container) =>
      !parts.probes.has(container.name, "startup") ||
      parts.probes.verdict(container, "startup") === true,
  });

/** Ends what may not go on. @returns whether something did */
async function* stopWhatMust(parts: PodParts, { killsPod, kills }: PodActions): Work<boolean> {
  if (killsPod) {
    yield* killPod(parts);
    return true;
  }
  for (const kill of kills) yield* killContainer(parts, kill);
  return kills.length > 0;
}

/** Starts what has to be started. */
async function* startAll(
  parts: PodParts,
  { ephemeral, init, main }: PodActions,
): Work<{ readonly retryAtMs: number | undefined; readonly hasStarted: boolean }> {
  const retries: number[] = [];
  let hasStarted = false;
  for (const name of [...ephemeral, ...init, ...main]) {
    const place = placeOf(parts.pod, name);
    if (!place) continue;
    const failure = yield* startContainer(parts, place);
    if (!failure) {
      hasStarted = true;
      parts.failures.delete(name);
      continue;
    }
    const { reason, message, retryAtMs } = failure;
    parts.failures.set(name, { reason, message });
    retries.push(retryAtMs ?? Infinity);
    if (place.role === "init" && !isSidecar(place.container)) break;
  }
  if (retries.length === 0) return { retryAtMs: undefined, hasStarted };
  // Only a wait after a crash has an end that is known.
  const isKnown = !retries.includes(Infinity);
  const waitMs = isKnown ? Math.max(0, Math.min(...retries) - parts.nowMs) : RETRY_MS;
  const lateMs = waitMs * parts.timing.jitter * parts.setting.clock.random();
  return { retryAtMs: parts.nowMs + Math.ceil(waitMs + lateMs), hasStarted };
}

/** Waits for the volumes of the pod. @returns whether they are there: the pod may have been told to go meanwhile */
async function* mountVolumes(parts: PodParts): Work<boolean> {
  const { client } = parts.setting;
  let waitMs = FIRST_MOUNT_MS;
  let dueMs = parts.nowMs;
  for (;;) {
    const problems = parts.seen.sandbox === "ready" ? [] : mountProblems(client, parts.pod);
    const isNew = problems.join("\n") !== parts.mountProblems.join("\n");
    parts.mountProblems = problems;
    if (problems.length === 0) return true;
    if (isNew || parts.nowMs >= dueMs) {
      for (const problem of problems) await parts.tell("Warning", "FailedMount", problem);
      dueMs = parts.nowMs + waitMs;
      waitMs = Math.min(waitMs * 2, LONGEST_MOUNT_MS);
    }
    yield dueMs - parts.nowMs;
    if (parts.isTerminating) {
      parts.mountProblems = [];
      return false;
    }
  }
}

/** Says that running containers get other resources, and later that they have them. */
async function followResize(parts: PodParts): Promise<void> {
  const { pod, seen } = parts;
  const { resizes, kills } = actionsOf(parts);
  const isResizing =
    seen.sandbox === "ready" &&
    (resizes.length > 0 || kills.some(({ message }) => message.includes(" resize ")));
  if (isResizing === parts.isResizing) return;
  parts.isResizing = isResizing;
  const list = (containers: readonly { name: string; resources?: object }[] = []): object[] =>
    containers.map(({ name, resources }) => ({ name, resources: sorted(resources) }));
  const about = {
    containers: list(pod.spec.containers ?? []),
    ...(pod.spec.initContainers?.some(isSidecar) === true
      ? { initContainers: list(pod.spec.initContainers.filter(isSidecar)) }
      : {}),
    generation: pod.metadata.generation,
  };
  const [reason, word] = isResizing
    ? ["ResizeStarted", "started"]
    : ["ResizeCompleted", "completed"];
  await parts.tell("Normal", reason, `Pod resize ${word}: ${JSON.stringify(about)}`);
}

/** A copy with the fields in the order of their names. */
function sorted(value: object = {}): object {
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, field]: [string, unknown]) => [
        name,
        typeof field === "object" && field !== null ? sorted(field) : field,
      ]),
  );
}

/** Ends all containers of a pod that is over, or was told to go. */
export async function* syncTerminatingPod(parts: PodParts): Work<undefined> {
  const { statuses, probes, runtime } = parts;
  statuses.set(await podStatus(parts, parts.seen, false));
  await parts.write(true);
  probes.stop("liveness", "startup");
  yield* killPod(parts);
  probes.stop("readiness");
  const { address = parts.seen.address, ...state } = runtime.stateAt(parts.nowMs);
  statuses.set(await podStatus(parts, { ...state, address }, true));
  await parts.write(false);
}

/** Tells the end of a pod whose containers have ended, which deletes a pod that was told to go. */
export async function* syncTerminatedPod(parts: PodParts): Work<undefined> {
  const { statuses, timing } = parts;
  statuses.set(await podStatus(parts, parts.seen, true));
  await parts.write(false);
  // Until the volumes of the pod are unmounted.
  if (timing.stopMs > 0) yield timing.stopMs;
  statuses.finish(parts.pod);
  await parts.write(false);
}
