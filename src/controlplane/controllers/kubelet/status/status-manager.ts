/** Writes the status of one pod, and deletes the pod when it is over, as the kubelet's status manager. */
import { sameJson } from "../../../../kube/json.ts";
import type { Pod, PodStatus } from "../../../builtin/kinds/core/pod/shape.ts";
import { PODS } from "../../../builtin/tokens.ts";
import { unlessGone } from "../../framework/absence.ts";
import type { ControllerClient } from "../../framework/client.ts";
import { isOwnCondition } from "./pod-conditions.ts";
import { isTerminal } from "./pod-phase.ts";

const NOT_FOUND = "The container could not be located when the pod was terminated";

export class StatusManager {
  readonly #client: ControllerClient;
  /** The last status, which the API has after the next `write`. */
  #status: PodStatus | undefined;
  #isDirty = false;
  #isFinished = false;

  constructor(client: ControllerClient) {
    this.#client = client;
  }

  get status(): PodStatus | undefined {
    return this.#status;
  }

  set(status: PodStatus): void {
    if (this.#status && sameJson(this.#status, status)) return;
    this.#status = status;
    this.#isDirty = true;
  }

  /** Ends the pod for good: no container of it runs, or will. */
  finish(pod: Pod): void {
    const status = this.#status ?? pod.status ?? {};
    const hasBegun = (pod.spec.initContainers ?? []).length === 0 || hasInitialized(status);
    const lost = (container: NonNullable<PodStatus["containerStatuses"]>[number]) =>
      container.state?.terminated
        ? container
        : {
            ...container,
            state: {
              terminated: { reason: "ContainerStatusUnknown", message: NOT_FOUND, exitCode: 137 },
            },
          };
    const { initContainerStatuses = [], containerStatuses = [] } = status;
    const begun = begunCount(initContainerStatuses);
    this.#status = {
      ...status,
      ...(initContainerStatuses.length > 0
        ? {
            initContainerStatuses: initContainerStatuses.map((one, index) =>
              index < begun ? lost(one) : one,
            ),
          }
        : {}),
      containerStatuses: hasBegun ? containerStatuses.map(lost) : containerStatuses,
      phase: isTerminal(status.phase) ? status.phase : "Failed",
    };
    this.#isFinished = true;
    this.#isDirty = true;
  }

  /**
   * Writes what has changed, and deletes a pod that is over and was told to go.
   *
   * @param mayRun - whether containers of the pod may still run: then its phase is not final yet
   */
  async write(pod: Pod, mayRun: boolean): Promise<void> {
    if (!this.#isDirty || !this.#status) return;
    const live = this.#client.find(PODS, pod.metadata);
    if (!live || live.metadata.uid !== pod.metadata.uid) return;
    const merged = mergedStatus(live, this.#status, mayRun);
    const isThere = await unlessGone(this.#client.updateStatus(PODS, live, merged));
    this.#isDirty = false;
    if (isThere && this.#isFinished) await this.delete(pod);
  }

  /** Removes a pod that was told to go, when it is over. */
  async delete({ metadata }: Pod): Promise<void> {
    const live = this.#client.find(PODS, metadata);
    const { uid = "", deletionTimestamp, deletionGracePeriodSeconds } = live?.metadata ?? {};
    if (uid !== metadata.uid || deletionTimestamp === undefined) return;
    if (deletionGracePeriodSeconds === 0) return;
    await unlessGone(this.#client.remove(PODS, metadata, { gracePeriodSeconds: 0, uid }));
  }
}

/** The status to write: conditions of others stay, and a phase is final only when nothing runs. */
function mergedStatus({ status: live = {} }: Pod, status: PodStatus, mayRun: boolean): PodStatus {
  const others = (live.conditions ?? []).filter((condition) => !isOwnCondition(condition));
  const own = (status.conditions ?? []).filter(isOwnCondition);
  const merged: PodStatus = { ...live, ...status, conditions: [...others, ...own] };
  if (!mayRun || !isTerminal(status.phase) || isTerminal(live.phase)) return merged;
  const { phase, reason, message, ...rest } = merged;
  void [phase, reason, message];
  return {
    ...rest,
    ...(live.phase === undefined ? {} : { phase: live.phase }),
    ...(live.reason === undefined ? {} : { reason: live.reason }),
    ...(live.message === undefined ? {} : { message: live.message }),
  };
}

function hasInitialized({
  containerStatuses = [],
  initContainerStatuses = [],
}: PodStatus): boolean {
  if (containerStatuses.some(({ state, lastState }) => lastState?.terminated ?? !state?.waiting)) {
    return true;
  }
  const last = initContainerStatuses.at(-1);
  return (
    last?.state?.terminated?.exitCode === 0 ||
    (last?.state?.running !== undefined && last.started === true)
  );
}

/** How many of the first init containers have begun; at least one counts. */
function begunCount(statuses: NonNullable<PodStatus["initContainerStatuses"]>): number {
  const last = statuses.findLastIndex(
    ({ state, lastState }) => !state?.waiting || lastState?.terminated,
  );
  return Math.max(last, 0) + 1;
}
