/** The start of a container: back-off, image, environment, process, hook. */
import { formatDuration } from "../../../kube/values/duration.ts";
import { killContainer } from "./container-stop.ts";
import { runHook } from "./hooks.ts";
import { IMAGE_BYTES, imageNameProblem, isImageAbsent, pullFailure } from "./images.ts";
import { environmentProblem } from "./missing-references.ts";
import type { PodParts } from "./pod-parts.ts";
import { isNoProgram } from "./program/absence.ts";
import { type ContainerPlace, latest } from "./runtime/runtime-state.ts";
import { SIMULATE } from "./simulation.ts";
import type { StartFailure } from "./status/container-statuses.ts";
import type { Work } from "./work.ts";

/** A failed start. */
export interface FailedStart extends StartFailure {
  /** When it may be tried again; absent when that is after the usual wait. */
  readonly retryAtMs?: number;
}

/** Starts a container. @returns why it could not be started */
export async function* startContainer(
  parts: PodParts,
  place: ContainerPlace,
): Work<FailedStart | undefined> {
  const { timing, runtime } = parts;
  const { container } = place;
  const { name } = container;
  const failure =
    (await crashBackOff(parts, place)) ??
    (yield* ensureImage(parts, place)) ??
    (await configFailure(parts, place));
  if (failure) return failure;
  if (timing.createMs > 0) yield timing.createMs;
  await parts.tellOf(place, "Normal", "Created", "Container created");
  if (timing.startMs > 0) yield timing.startMs;
  const [program = ""] = [...(container.command ?? []), ...(container.args ?? [])];
  if (isNoProgram(program)) {
    const why = program.includes("/")
      ? `exec: "${program}": stat ${program}: no such file or directory`
      : `exec: "${program}": executable file not found in $PATH`;
    const message = `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ${why}: unknown`;
    runtime.addFailed(parts.pod, place, message, parts.nowMs);
    await parts.tellOf(place, "Warning", "Failed", `Error: ${message}`);
    return { reason: "RunContainerError", message };
  }
  const times = { startMs: parts.nowMs, lifeMs: timing.lifeMs };
  const process = runtime.start(parts.pod, place, parts.simulation, times);
  await parts.tellOf(place, "Normal", "Started", "Container started");
  if (process.isGuessed) {
    const guess = process.end ? "is taken to succeed at once" : "is taken to stay up";
    const message = `The script of container ${name} is more than the simulation understands, so it ${guess}. Say what it does with the annotation ${SIMULATE}, or with a simpler command.`;
    await parts.tellOf(place, "Warning", "SimulationNotUnderstood", message);
  }
  const { postStart } = container.lifecycle ?? {};
  if (!postStart) return undefined;
  const started = latest(runtime.started, name);
  if (!started) return undefined;
  const { durationMs, failure: message } = runHook(parts, container, started, postStart);
  if (timing.waitsForGrace && durationMs > 0) yield durationMs;
  if (message === undefined) return undefined;
  await parts.tellOf(place, "Warning", "FailedPostStartHook", "PostStartHook failed");
  yield* killContainer(parts, { name, message: "FailedPostStartHook", because: "other" });
  return { reason: "PostStartHookError", message };
}

/** Whether a container that crashed has to wait. */
async function crashBackOff(
  parts: PodParts,
  place: ContainerPlace,
): Promise<FailedStart | undefined> {
  const { crashes, nowMs, seen } = parts;
  const { name } = place.container;
  const ended = seen.containers.find((one) => one.name === name && one.state.kind === "exited");
  if (ended?.state.kind !== "exited") return undefined;
  const { endMs } = ended.state;
  if (!crashes.isWaitingSince(name, endMs, nowMs)) {
    crashes.next(name, endMs, nowMs);
    return undefined;
  }
  const event = `Back-off restarting failed container ${name} in pod ${parts.text}`;
  await parts.tellOf(place, "Warning", "BackOff", event);
  const waitMs = crashes.waitMs(name);
  const message = `back-off ${formatDuration(waitMs)} restarting failed container=${name} pod=${parts.text}`;
  return { reason: "CrashLoopBackOff", message, retryAtMs: endMs + waitMs };
}

/** Makes sure that the image of the container is there. */
async function* ensureImage(parts: PodParts, place: ContainerPlace): Work<FailedStart | undefined> {
  const { container } = place;
  const { image = "", imagePullPolicy } = container;
  const quoted = JSON.stringify(image);
  const failed = async (reason: string, message: string): Promise<FailedStart> => {
    await parts.tellOf(place, "Warning", "Failed", `Error: ${reason}`);
    return { reason, message };
  };
  const nameProblem = imageNameProblem(image);
  if (nameProblem !== undefined) {
    await parts.tellOf(place, "Warning", "InspectFailed", nameProblem);
    return failed("InvalidImageName", nameProblem);
  }
  const isAbsent = isImageAbsent(container, parts.simulation);
  if (isAbsent && imagePullPolicy === "Never") {
    const message = `Container image ${quoted} is not present with pull policy of Never`;
    await parts.tellOf(place, "Warning", "ErrImageNeverPull", message);
    return failed("ErrImageNeverPull", message);
  }
  if (!isAbsent && imagePullPolicy !== "Always") {
    const message = `Container image ${quoted} already present on machine and can be accessed by the pod`;
    await parts.tellOf(place, "Normal", "Pulled", message);
    return undefined;
  }
  if (parts.pulls.isWaiting(image, parts.nowMs)) {
    const message = `Back-off pulling image ${quoted}`;
    await parts.tellOf(place, "Normal", "BackOff", message);
    return failed("ImagePullBackOff", `${message}: ErrImagePull: ${pullFailure(image)}`);
  }
  await parts.tellOf(place, "Normal", "Pulling", `Pulling image ${quoted}`);
  if (parts.timing.pullMs > 0) yield parts.timing.pullMs;
  if (isAbsent) {
    const why = pullFailure(image);
    await parts.tellOf(place, "Warning", "Failed", `Failed to pull image ${quoted}: ${why}`);
    parts.pulls.next(image, parts.nowMs, parts.nowMs);
    return failed("ErrImagePull", why);
  }
  const duration = formatDuration(parts.timing.pullMs);
  const pulled = `Successfully pulled image ${quoted} in ${duration} (${duration} including waiting). Image size: ${IMAGE_BYTES} bytes.`;
  await parts.tellOf(place, "Normal", "Pulled", pulled);
  return undefined;
}

/** Whether something is missing that the environment of the container needs. */
async function configFailure(
  parts: PodParts,
  place: ContainerPlace,
): Promise<FailedStart | undefined> {
  const message = environmentProblem(parts.setting.client, parts.pod, place.container);
  if (message === undefined) return undefined;
  await parts.tellOf(place, "Warning", "Failed", `Error: ${message}`);
  return { reason: "CreateContainerConfigError", message };
}
