/**
 * The simulated behaviour of a pod's containers, by the pod's annotation `tsop.dev/simulate`, their
 * commands and their probes.
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Container } from "../../builtin/shared/pods/pod-shapes.ts";
import { controllerOf } from "../framework/owner-references.ts";
import { type CommandEnd, commandEnd } from "./commands.ts";

/** The annotation of a pod, or of a pod template, that scripts the pod. */
export const SIMULATE = "tsop.dev/simulate";

/** The behaviour of a pod's containers. */
export type Simulation =
  /** Containers follow their command; without one that is understood they stay up, or in a Job succeed. */
  | { readonly kind: "commands" }
  /** Containers stay up, whatever their command. */
  | { readonly kind: "run" }
  | { readonly kind: "fail"; readonly exitCode: number }
  /** Containers stay up, and become ready this long after their start. */
  | { readonly kind: "slow"; readonly readyAfterMs: number }
  | { readonly kind: "never-ready" }
  /** The containers' process runs on this machine, where its readiness is probed. */
  | { readonly kind: "process"; readonly host: string; readonly port: number };

/** The role of a container in its pod. */
export type ContainerRole = "main" | "init" | "sidecar";

/** The behaviour of a container from its start on. */
export interface Program {
  /** The end of the container; `undefined` when it stays up. */
  readonly end: CommandEnd | undefined;
  /** How many milliseconds after its start its startup probe succeeds. */
  readonly startedAfterMs: number;
  /** How many milliseconds after its start it is ready; `undefined` when time alone does not make it so. */
  readonly readyAfterMs: number | undefined;
  /** Whether it is restarted after an end with that exit code. */
  restarts(exitCode: number): boolean;
}

const AT_ONCE: CommandEnd = { afterMs: 0, exitCode: 0 };
const NUMBER = /^\d{1,9}$/;
const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** The values of the annotation, for the event about one that is not understood. */
export const SIMULATIONS =
  "fail, fail:EXIT_CODE, slow, slow:SECONDS, never-ready, run, process:127.0.0.1:PORT";

/** The simulation in the pod's annotation; `undefined` when it is not understood. */
export function simulationOf({ metadata }: Pod): Simulation | undefined {
  const text = metadata.annotations?.[SIMULATE];
  if (text === undefined) return { kind: "commands" };
  const [, word = "", argument] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  if (word === "process") return processAt(argument ?? "");
  if (argument !== undefined && !NUMBER.test(argument)) return undefined;
  if (word === "fail") {
    const exitCode = Number(argument ?? 1);
    return exitCode >= 1 && exitCode <= 255 ? { kind: "fail", exitCode } : undefined;
  }
  if (word === "slow") return { kind: "slow", readyAfterMs: Number(argument ?? 10) * 1000 };
  if ((word === "never-ready" || word === "run") && argument === undefined) return { kind: word };
  return undefined;
}

function processAt(address: string): Simulation | undefined {
  const [, host = "", port = ""] = /^(.*):(.*)$/s.exec(address) ?? [];
  if (!LOOPBACK.test(host) || !NUMBER.test(port)) return undefined;
  const number = Number(port);
  return number >= 1 && number <= 65_535 ? { kind: "process", host, port: number } : undefined;
}

/** The behaviour of a container of the pod. */
export function programOf(
  pod: Pod,
  container: Container,
  role: ContainerRole,
  simulation: Simulation,
): Program {
  const { startupProbe, readinessProbe = {} } = container;
  const { initialDelaySeconds = 0, successThreshold = 1, periodSeconds = 10 } = readinessProbe;
  const furtherSeconds = Math.max(0, successThreshold - 1) * periodSeconds;
  const probedMs = 1000 * (initialDelaySeconds + furtherSeconds);
  const { restartPolicy = "Always" } = pod.spec;
  const mayRestart = (exitCode: number): boolean =>
    exitCode !== 0 || (role === "main" && restartPolicy === "Always");
  return {
    end: endOf(pod, container, role, simulation),
    startedAfterMs: 1000 * (startupProbe?.initialDelaySeconds ?? 0),
    readyAfterMs: role === "main" ? readyAfterMs(simulation, probedMs) : probedMs,
    restarts: (exitCode) =>
      role === "sidecar" || (restartPolicy !== "Never" && mayRestart(exitCode)),
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
