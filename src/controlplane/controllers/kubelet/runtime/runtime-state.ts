/** What a container runtime knows about a pod. */
import type { Pod } from "../../../builtin/kinds/core/pod/shape.ts";
import type { Container } from "../../../builtin/shared/pods/pod-shapes.ts";
import type { ResourceRequirements } from "../../../builtin/shared/shapes.ts";
import type { ContainerRole, Process } from "../program/process.ts";

interface Exited {
  readonly kind: "exited";
  /** Absent when it never ran. */
  readonly startMs?: number;
  readonly endMs: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
}

/** A container of the runtime: a restart makes a new one. */
export interface RuntimeContainer {
  readonly name: string;
  readonly id: string;
  readonly image: string;
  readonly imageId: string;
  readonly restartCount: number;
  readonly resources: ResourceRequirements | undefined;
  readonly state:
    | { readonly kind: "running"; readonly startMs: number; readonly process: Process }
    | Exited;
}

/** The state of a pod at one time. */
export interface RuntimeState {
  readonly sandbox: "none" | "ready" | "stopped";
  /** The address of the pod, once it had one. */
  readonly address: string | undefined;
  /** The latest first. */
  readonly containers: readonly RuntimeContainer[];
}

export const NOTHING: RuntimeState = { sandbox: "none", address: undefined, containers: [] };

/** The latest container of that name. */
export const latest = ({ containers }: RuntimeState, name: string): RuntimeContainer | undefined =>
  containers.find((one) => one.name === name);

export const isRunning = (container: RuntimeContainer | undefined): boolean =>
  container?.state.kind === "running";

export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always";

/** A container of the pod's spec, and its place there. */
export interface ContainerPlace {
  readonly container: Container;
  readonly role: ContainerRole;
  /** As events name it, such as `spec.containers{web}`. */
  readonly fieldPath: string;
}

/** The container of that name in the pod's spec. */
export function placeOf({ spec }: Pod, name: string): ContainerPlace | undefined {
  const init = spec.initContainers?.find((one) => one.name === name);
  if (init) {
    const role = isSidecar(init) ? "sidecar" : "init";
    return { container: init, role, fieldPath: `spec.initContainers{${name}}` };
  }
  const main = spec.containers?.find((one) => one.name === name);
  if (main) return { container: main, role: "main", fieldPath: `spec.containers{${name}}` };
  const ephemeral = spec.ephemeralContainers?.find((one) => one.name === name);
  if (!ephemeral) return undefined;
  const fieldPath = `spec.ephemeralContainers{${name}}`;
  return { container: ephemeral, role: "ephemeral", fieldPath };
}

/** Whether a container that ended with that code is started again. */
export function isRestartedAfter({ spec }: Pod, container: Container, exitCode: number): boolean {
  const rule = container.restartPolicyRules?.find(({ exitCodes }) => {
    const isListed = exitCodes?.values?.includes(exitCode) === true;
    return exitCodes !== undefined && isListed === (exitCodes.operator === "In");
  });
  if (rule) return rule.action === "Restart";
  const policy = container.restartPolicy ?? spec.restartPolicy ?? "Always";
  const isInit = spec.initContainers?.includes(container) === true;
  if (policy === "Always") return !isInit || container.restartPolicy === "Always" || exitCode !== 0;
  return policy === "OnFailure" && exitCode !== 0;
}

/** Whether a container is to be started: it never ran, or has ended and is restarted. */
export function isToStart(pod: Pod, state: RuntimeState, container: Container): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  const known = latest(state, container.name);
  if (!known) return true;
  return known.state.kind === "exited" && isRestartedAfter(pod, container, known.state.exitCode);
}
