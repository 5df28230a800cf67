/** The container statuses of the simulated kubelet. */
import { createHash } from "node:crypto";
import type { ContainerState, ContainerStatus, Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Container } from "../../builtin/shared/pods/shapes.ts";

/** The `terminated` state of a container. */
export type Terminated = NonNullable<ContainerState["terminated"]>;

function digestOf(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("/")).digest("hex");
}

/** The id of a container of a pod, which stays the same. */
export const containerId = (pod: Pod, { name }: Container): string =>
  `containerd://${digestOf(pod.metadata.uid ?? "", name)}`;

/** The state of a terminated container. */
export function terminatedState<Times extends Omit<Terminated, "exitCode" | "reason">>(
  exitCode: number,
  rest: Times,
): Times & { exitCode: number; reason: string } {
  return { exitCode, reason: exitCode === 0 ? "Completed" : "Error", ...rest };
}

/** The status of a container that has not started. */
export function waitingStatus(
  { name, image = "" }: Container,
  reason: string,
  message?: string,
): ContainerStatus {
  return {
    name,
    image,
    imageID: "",
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: message === undefined ? { reason } : { reason, message } },
    lastState: {},
  };
}

/** The status of a container that has started, in its current state. */
export function begunStatus(
  pod: Pod,
  container: Container,
  is: Pick<ContainerStatus, "ready" | "started" | "restartCount" | "state"> & {
    readonly lastState?: ContainerState;
  },
): ContainerStatus {
  const { name, image = "" } = container;
  return {
    name,
    image,
    imageID: `${image.replace(/[:@][^/]*$/, "")}@sha256:${digestOf(image)}`,
    containerID: containerId(pod, container),
    lastState: {},
    ...is,
  };
}
