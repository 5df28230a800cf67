/**
 * What has to happen to the containers of a pod, as the kubelet's `computePodActions`.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
 */
import { sameJson } from "../../../../kube/json.ts";
import type { Pod } from "../../../builtin/kinds/core/pod/shape.ts";
import type { Container } from "../../../builtin/shared/pods/pod-shapes.ts";
import {
  type RuntimeContainer,
  type RuntimeState,
  isRestartedAfter,
  isSidecar,
  isToStart,
  latest,
} from "./runtime-state.ts";

export interface Kill {
  readonly name: string;
  readonly message: string;
  readonly because: "liveness" | "startup" | "other";
}

export interface PodActions {
  readonly createsSandbox: boolean;
  readonly killsPod: boolean;
  readonly kills: readonly Kill[];
  /** Names, in order. */
  readonly ephemeral: readonly string[];
  readonly init: readonly string[];
  readonly main: readonly string[];
  /** Running containers whose resources have changed. */
  readonly resizes: readonly string[];
}

/** Results of probes: whether one has failed, or a startup probe has succeeded, by the id of its container. */
export interface ProbeVerdicts {
  isDead(container: RuntimeContainer): "liveness" | "startup" | undefined;
  /** Whether the container has no startup probe, or it succeeded. */
  isStarted(container: RuntimeContainer): boolean;
}

const NOTHING: PodActions = {
  createsSandbox: false,
  killsPod: false,
  kills: [],
  ephemeral: [],
  init: [],
  main: [],
  resizes: [],
};

export function podActions(pod: Pod, state: RuntimeState, probes: ProbeVerdicts): PodActions {
  const { initContainers = [], ephemeralContainers = [] } = pod.spec;
  const containers = pod.spec.containers ?? [];
  if (state.sandbox !== "ready") return withoutSandbox(pod, state);
  const ephemeral = ephemeralContainers
    .map(({ name }) => name)
    .filter((name) => !latest(state, name));
  const { init, kills, isInitialized, isFailed } = initActions(pod, state, probes);
  if (isFailed) return { ...NOTHING, ephemeral, killsPod: true };
  if (!isInitialized) return { ...NOTHING, ephemeral, init, kills };
  const main: string[] = [];
  const resizes: string[] = [];
  let kept = 0;
  for (const container of containers) {
    const { name } = container;
    const known = latest(state, name);
    if (known?.state.kind !== "running") {
      if (isToStart(pod, state, container)) main.push(name);
      continue;
    }
    const kill = killOf(pod, container, known, probes);
    if (!kill) {
      kept += 1;
      if (!sameJson(known.resources ?? {}, container.resources ?? {})) resizes.push(name);
      continue;
    }
    kills.push(kill);
    if (kill.message.endsWith(", will be restarted")) main.push(name);
  }
  for (const container of initContainers.filter(isSidecar)) {
    const known = latest(state, container.name);
    if (known?.state.kind !== "running" || kills.some(({ name }) => name === known.name)) continue;
    if (!sameJson(known.resources ?? {}, container.resources ?? {})) resizes.push(known.name);
  }
  // Sidecars alone don't keep a pod alive.
  const killsPod = kept === 0 && main.length === 0;
  return { ...NOTHING, ephemeral, init: killsPod ? [] : init, kills, main, resizes, killsPod };
}

/** Without a sandbox everything begins anew, unless nothing is left to start. */
function withoutSandbox(pod: Pod, state: RuntimeState): PodActions {
  const { restartPolicy = "Always", initContainers = [], containers } = pod.spec;
  const isNew = state.sandbox === "none";
  if (restartPolicy === "Never" && !isNew && state.containers.length > 0) {
    return { ...NOTHING, killsPod: true };
  }
  const main = (containers ?? []).filter((container) => isToStart(pod, state, container));
  if (main.length === 0) return { ...NOTHING, killsPod: true };
  const [first] = initContainers;
  const begin = first ? { init: [first.name] } : { main: main.map(({ name }) => name) };
  return { ...NOTHING, createsSandbox: true, killsPod: !isNew, ...begin };
}

function killOf(
  pod: Pod,
  container: Container,
  known: RuntimeContainer,
  probes: ProbeVerdicts,
): Kill | undefined {
  const { name } = container;
  const restarts = (container.restartPolicy ?? pod.spec.restartPolicy ?? "Always") !== "Never";
  if (known.image !== (container.image ?? "")) {
    const message = `Container ${name} definition changed, will be restarted`;
    return { name, message, because: "other" };
  }
  const because = probes.isDead(known);
  if (because !== undefined) {
    const end = restarts ? ", will be restarted" : "";
    return { name, message: `Container ${name} failed ${because} probe${end}`, because };
  }
  const resized = restartedByResize(container, known);
  if (!resized || !restarts) return undefined;
  const message = `Container ${name} resize requires restart, will be restarted`;
  return { name, message, because: "other" };
}

/** Whether a changed resource of the container can only be had by a restart. */
function restartedByResize(
  { resources, resizePolicy = [] }: Container,
  known: RuntimeContainer,
): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" &&
      (["limits", "requests"] as const).some(
        (part) => known.resources?.[part]?.[resourceName] !== resources?.[part]?.[resourceName],
      ),
  );
}

interface InitActions {
  readonly init: readonly string[];
  readonly kills: Kill[];
  /** Whether the main containers may start. */
  readonly isInitialized: boolean;
  /** Whether an init container failed for good. */
  readonly isFailed: boolean;
}

function initActions(pod: Pod, state: RuntimeState, probes: ProbeVerdicts): InitActions {
  const { initContainers = [], containers } = pod.spec;
  const kills: Kill[] = [];
  const init: string[] = [];
  const hasBegun = (containers ?? []).some(({ name }) => latest(state, name));
  let isInitialized = initContainers.length === 0 || hasBegun;
  let isPreviouslyInitialized = isInitialized;
  for (const [index, container] of [...initContainers.entries()].toReversed()) {
    const { name } = container;
    const known = latest(state, name);
    const next = initContainers[index + 1];
    if (!known) {
      if (isPreviouslyInitialized && isSidecar(container)) init.push(name);
      continue;
    }
    if (isPreviouslyInitialized && !isSidecar(container)) continue;
    const completes = (): void => {
      if (!next) isInitialized = true;
      else if (!isPreviouslyInitialized) init.push(next.name);
    };
    if (known.state.kind === "running") {
      if (isSidecar(container)) {
        const because = probes.isDead(known);
        if (probes.isStarted(known)) completes();
        if (because !== undefined) {
          kills.push({ name, message: `Init container ${name} failed ${because} probe`, because });
          init.push(name);
        } else if (known.image !== (container.image ?? "")) {
          kills.push({
            name,
            message: `Init container ${name} definition changed`,
            because: "other",
          });
          init.push(name);
        }
      }
    } else if (isSidecar(container)) {
      init.push(name);
    } else if (known.state.exitCode !== 0) {
      if (!isRestartedAfter(pod, container, known.state.exitCode)) {
        return { init: [], kills: [], isInitialized: false, isFailed: true };
      }
      init.push(name);
    } else {
      completes();
    }
    isPreviouslyInitialized = true;
  }
  const [first] = initContainers;
  if (!isPreviouslyInitialized && first) init.push(first.name);
  return { init: init.toReversed(), kills, isInitialized, isFailed: false };
}
