/** The simulated behaviour of a pod, by its annotation `tsop.dev/simulate`. */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";

/** The annotation of a pod, or of a pod template, that scripts the pod. */
export const SIMULATE = "tsop.dev/simulate";

/** The behaviour of a pod's containers. */
export type Simulation =
  /**
   * Containers follow their command; without one that is understood they stay up, or in a Job
   * succeed.
   */
  | { readonly kind: "commands" }
  /** Containers stay up, whatever their command. */
  | { readonly kind: "run" }
  | { readonly kind: "fail"; readonly exitCode: number }
  /** Containers stay up, and become ready this long after their start. */
  | { readonly kind: "slow"; readonly readyAfterMs: number }
  | { readonly kind: "never-ready" }
  /** The containers' process runs on this machine, where its readiness is probed. */
  | { readonly kind: "process"; readonly host: string; readonly port: number };

const NUMBER = /^\d{1,9}$/;
const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** The values of the annotation, for the event about one that is not understood. */
export const SIMULATIONS =
  "fail, fail:EXIT_CODE, slow, slow:SECONDS, never-ready, run, process:127.0.0.1:PORT";

/** The simulation in the pod's annotation; `undefined` when it is not understood. */
export function simulationOf({ metadata }: Pod): Simulation | undefined {
  const text = metadata.annotations?.[SIMULATE];
  if (text === undefined) return { kind: "commands" };
  const colon = text.indexOf(":");
  const word = colon < 0 ? text : text.slice(0, colon);
  const argument = colon < 0 ? undefined : text.slice(colon + 1);
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
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, Math.max(0, colon));
  const port = address.slice(colon + 1);
  if (!LOOPBACK.test(host) || !NUMBER.test(port)) return undefined;
  const number = Number(port);
  return number >= 1 && number <= 65_535 ? { kind: "process", host, port: number } : undefined;
}
