/** The end of running containers: hooks, SIGTERM, the grace period, SIGKILL. */
import type { Container } from "../../builtin/shared/pods/pod-shapes.ts";
import { runHook } from "./hooks.ts";
import type { PodParts } from "./pod-parts.ts";
import type { Kill } from "./runtime/pod-actions.ts";
import { isRunning, isSidecar, latest, placeOf } from "./runtime/runtime-state.ts";
import { type Work, together } from "./work.ts";

/** Containers have at least so long. */
const SHORTEST_GRACE_SECONDS = 2;
/** How often a sidecar looks whether its turn has come. */
const TURN_MS = 100;

/** Ends the containers of the pod, and its sandbox. */
export async function* killPod(parts: PodParts): Work {
  const { pod, runtime, timing } = parts;
  const names = runtime
    .stateAt(parts.nowMs)
    .containers.filter(isRunning)
    .map(({ name }) => name);
  const { containers, initContainers = [] } = pod.spec;
  const sidecars = initContainers.filter(isSidecar).map(({ name }) => name);
  const mains = (containers ?? []).map(({ name }) => name);
  const works = names.map((name) => {
    const place = sidecars.indexOf(name);
    // Sidecars end after the main containers, in the reverse order of their starts.
    const before = place === -1 ? [] : [...mains, ...sidecars.slice(place + 1)];
    const kill: Kill = { name, message: `Stopping container ${name}`, because: "other" };
    return killContainer(parts, kill, before);
  });
  yield* together(works, () => parts.nowMs);
  if (runtime.stateAt(parts.nowMs).sandbox !== "ready") return;
  if (timing.stopMs > 0) yield timing.stopMs;
  runtime.stopSandbox();
}

/**
 * Ends a container.
 *
 * @param before - the names of containers that have to end first
 */
export async function* killContainer(
  parts: PodParts,
  { name, message, because }: Kill,
  before: readonly string[] = [],
): Work {
  const place = placeOf(parts.pod, name);
  if (!place) return;
  const { timing, runtime } = parts;
  await parts.tellOf(place, "Normal", "Killing", message);
  const beganMs = parts.nowMs;
  const grace = graceSeconds(parts, place.container, because);
  const isLeft = (): boolean => parts.nowMs - beganMs < grace * 1000;
  const { preStop } = place.container.lifecycle ?? {};
  const container = latest(runtime.stateAt(beganMs), name);
  if (preStop && grace > 0 && container) {
    const { durationMs, failure } = runHook(parts, place.container, container, preStop);
    const waitMs = Math.min(durationMs, grace * 1000);
    if (timing.waitsForGrace && waitMs > 0) yield waitMs;
    if (failure !== undefined && durationMs <= grace * 1000) {
      await parts.tellOf(place, "Warning", "FailedPreStopHook", "PreStopHook failed");
    }
  }
  const isFirst = (): boolean =>
    before.some((other) => isRunning(latest(runtime.stateAt(parts.nowMs), other)));
  while (timing.waitsForGrace && isFirst() && isLeft()) yield TURN_MS;
  const left = Math.max(SHORTEST_GRACE_SECONDS, grace - Math.floor((parts.nowMs - beganMs) / 1000));
  const endMs = runtime.signal(name, parts.nowMs);
  if (!timing.waitsForGrace) {
    runtime.hurry(name, parts.nowMs);
    return;
  }
  const lastMs = parts.nowMs + left * 1000;
  if (endMs > parts.nowMs) yield Math.min(endMs, lastMs) - parts.nowMs;
  if (endMs <= lastMs) return;
  yield timing.killMs;
  runtime.kill(name, parts.nowMs);
}

function graceSeconds(
  { pod }: PodParts,
  { livenessProbe, startupProbe }: Container,
  because: Kill["because"],
): number {
  const { deletionGracePeriodSeconds } = pod.metadata;
  if (deletionGracePeriodSeconds !== undefined) return deletionGracePeriodSeconds;
  const probe =
    because === "liveness" ? livenessProbe : because === "startup" ? startupProbe : undefined;
  return probe?.terminationGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
}
