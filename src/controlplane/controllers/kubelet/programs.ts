/**
 * The behaviour of a pod's containers, from the pod's annotation, their commands and their probes.
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Container } from "../../builtin/shared/pods/shapes.ts";
import { controllerOf } from "../ownership.ts";
import { commandEnd } from "./commands.ts";
import type { Program } from "./container-step.ts";
import type { Simulation } from "./simulation.ts";

/** The role of a container in its pod. */
export type ContainerRole = "main" | "init" | "sidecar";

const AT_ONCE = { afterMs: 0, exitCode: 0 };

/** The behaviour of a container of the pod. */
export function programOf(
  pod: Pod,
  container: Container,
  role: ContainerRole,
  simulation: Simulation,
): Program {
  const { startupProbe, readinessProbe } = container;
  const initialMs = 1000 * (readinessProbe?.initialDelaySeconds ?? 0);
  const further = Math.max(0, (readinessProbe?.successThreshold ?? 1) - 1);
  const probedMs = initialMs + further * 1000 * (readinessProbe?.periodSeconds ?? 10);
  return {
    end: endOf(pod, container, role, simulation),
    startedAfterMs: 1000 * (startupProbe?.initialDelaySeconds ?? 0),
    readyAfterMs: role === "main" ? readyAfterMs(simulation, probedMs) : probedMs,
  };
}

function endOf(
  pod: Pod,
  { command = [], args = [] }: Container,
  role: ContainerRole,
  simulation: Simulation,
): Program["end"] {
  const told = commandEnd([...command, ...args]);
  if (role === "init") return told ?? AT_ONCE;
  if (role === "sidecar") return told;
  if (simulation.kind === "fail") return { afterMs: 0, exitCode: simulation.exitCode };
  if (simulation.kind !== "commands") return undefined;
  const isOfJob = controllerOf(pod)?.kind === "Job" && pod.spec.restartPolicy !== "Always";
  return told ?? (isOfJob ? AT_ONCE : undefined);
}

function readyAfterMs(simulation: Simulation, probedMs: number): number | undefined {
  if (simulation.kind === "slow") return simulation.readyAfterMs;
  return simulation.kind === "never-ready" || simulation.kind === "process" ? undefined : probedMs;
}
