/**
 * What the simulated kubelet reports of containers.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Container, ContainerStatus, Pod } from "../builtin/strategies/pod-shapes.ts";

type State = NonNullable<ContainerStatus["state"]>;

/** Runs since then. */
export const running = (startedAt: string): State => ({ running: { startedAt } });

function digestOf(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("/")).digest("hex");
}

/** An id that stays the same for a container of a pod. */
export const containerId = (pod: Pod, { name }: Container): string =>
  `containerd://${digestOf(pod.metadata.uid ?? "", name)}`;

/** A container in that state. */
export function containerStatus(
  pod: Pod,
  container: Container,
  state: State,
  ready: boolean,
): ContainerStatus {
  const { name, image = "" } = container;
  return {
    name,
    image,
    imageID: `${image.replace(/[:@][^/]*$/, "")}@sha256:${digestOf(image)}`,
    containerID: containerId(pod, container),
    ready,
    started: ready,
    restartCount: 0,
    state,
    lastState: {},
  };
}

/** An init container that did its work, or a sidecar that goes on. */
export function initStatus(pod: Pod, container: Container, time: string): ContainerStatus {
  if (container.restartPolicy === "Always") {
    return containerStatus(pod, container, running(time), true);
  }
  const terminated = {
    exitCode: 0,
    reason: "Completed",
    startedAt: time,
    finishedAt: time,
    containerID: containerId(pod, container),
  };
  return { ...containerStatus(pod, container, { terminated }, true), started: false };
}
