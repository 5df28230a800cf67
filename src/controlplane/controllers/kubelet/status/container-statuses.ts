/** The statuses of containers in the API, as the kubelet's `convertToAPIContainerStatuses`. */
import { present } from "../../../../present.ts";
import { timeOf } from "../../../../kube/values/times.ts";
import type {
  ContainerState,
  ContainerStatus,
  Pod,
} from "../../../builtin/kinds/core/pod/shape.ts";
import type { Container } from "../../../builtin/shared/pods/pod-shapes.ts";
import { type RuntimeContainer, type RuntimeState, isToStart } from "../runtime/runtime-state.ts";

/** Why a container could not be started the last time. */
export interface StartFailure {
  readonly reason: string;
  readonly message: string;
}

interface Sources {
  readonly pod: Pod;
  readonly state: RuntimeState;
  readonly failures: ReadonlyMap<string, StartFailure>;
}

type Kind = "init" | "main" | "ephemeral";

/** The statuses of the containers of one list; `before` are those in the last status. */
export function containerStatuses(
  { pod, state, failures }: Sources,
  kind: Kind,
  before: readonly ContainerStatus[] = [],
): ContainerStatus[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const lists = { init: initContainers, main: containers ?? [], ephemeral: ephemeralContainers };
  const reason = initContainers.length > 0 ? "PodInitializing" : "ContainerCreating";
  const statuses = lists[kind].map((container: Container): ContainerStatus => {
    const known = before.find(({ name }) => name === container.name);
    const [latest, previous] = state.containers.filter(({ name }) => name === container.name);
    const status: ContainerStatus = latest
      ? started(container, latest, previous, known)
      : waiting(container, reason, known);
    const failure = failures.get(container.name);
    const isDone =
      kind === "init" && latest?.state.kind === "exited" && latest.state.exitCode === 0;
    if (!failure || isDone || !isToStart(pod, state, container)) return status;
    const { terminated } = status.state ?? {};
    return {
      ...status,
      ...(terminated ? { lastState: { terminated } } : {}),
      state: { waiting: failure },
    };
  });
  // As the kubelet does: init containers stay in the order of their starts.
  return kind === "init"
    ? statuses
    : statuses.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function waiting(
  container: Container,
  reason: string,
  known: ContainerStatus | undefined,
): ContainerStatus {
  if (known?.state?.terminated) return known;
  const { name, image = "" } = container;
  return {
    name,
    image,
    imageID: "",
    ready: false,
    restartCount: known?.restartCount ?? 0,
    state: { waiting: { reason } },
    lastState: known?.lastState ?? {},
    ...volumeMounts(container),
  };
}

function started(
  container: Container,
  latest: RuntimeContainer,
  previous: RuntimeContainer | undefined,
  known: ContainerStatus | undefined,
): ContainerStatus {
  const { name, image, imageId, id, restartCount, resources } = latest;
  const last = previous && stateOf(previous);
  const { requests } = container.resources ?? {};
  return {
    name,
    image,
    imageID: imageId,
    containerID: id,
    ready: false,
    restartCount,
    state: stateOf(latest),
    lastState: last?.terminated ? last : (known?.lastState ?? {}),
    ...(requests ? { allocatedResources: requests } : {}),
    resources: resources ?? {},
    ...volumeMounts(container),
  };
}

function volumeMounts({
  volumeMounts: mounts = [],
}: Container): Pick<ContainerStatus, "volumeMounts"> {
  if (mounts.length === 0) return {};
  return {
    volumeMounts: mounts.map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly === true ? { readOnly, recursiveReadOnly: "Disabled" } : {}),
    })),
  };
}

function stateOf({ id, state }: RuntimeContainer): ContainerState {
  if (state.kind === "running") return { running: { startedAt: timeOf(state.startMs) } };
  const { startMs, endMs, exitCode, reason, message } = state;
  return {
    terminated: {
      exitCode,
      reason,
      ...present({ message }),
      // As containerd says of a container that never ran.
      startedAt: timeOf(startMs ?? 0),
      finishedAt: timeOf(endMs),
      containerID: id,
    },
  };
}
