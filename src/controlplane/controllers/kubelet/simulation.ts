/**
 * The simulated behavior of a pod's containers, by the pod's annotation `tsop.dev/simulate`.
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";

/** The annotation of a pod, or of a pod template, that scripts the pod. */
export const SIMULATE = "tsop.dev/simulate";

type ProbeType = "liveness" | "readiness" | "startup";

/** The behavior of a pod's containers. */
export type Simulation =
  /** Containers follow their command; without one that is understood they stay up, or in a Job succeed. */
  | { readonly kind: "commands" }
  /** Containers stay up, whatever their command. */
  | { readonly kind: "run" }
  | { readonly kind: "fail"; readonly exitCode: number }
  /** Containers use up their memory so long after their start. */
  | { readonly kind: "oom"; readonly afterMs: number }
  /** The images of the containers cannot be pulled. */
  | { readonly kind: "no-image" }
  /** Containers stay up, and become ready this long after their start. */
  | { readonly kind: "slow"; readonly readyAfterMs: number }
  | { readonly kind: "never-ready" }
  /** Containers stay up, and from so long after their start on their probes of this type fail. */
  | { readonly kind: "probe-fails"; readonly type: ProbeType; readonly afterMs: number }
  /** The containers' process runs on this machine, where its readiness is probed. */
  | { readonly kind: "process"; readonly host: string; readonly port: number };

const NUMBER = /^\d{1,9}$/;
const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;
const PROBE_FAILS = /^(liveness|readiness|startup)-fails$/;

/** The values of the annotation, for the event about one that is not understood. */
export const SIMULATIONS =
  "fail, fail:EXIT_CODE, slow, slow:SECONDS, never-ready, liveness-fails, liveness-fails:SECONDS, readiness-fails, readiness-fails:SECONDS, startup-fails, no-image, oom, oom:SECONDS, run, process:127.0.0.1:PORT";

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
  const afterMs = Number(argument ?? 0) * 1000;
  if (word === "oom") return { kind: "oom", afterMs };
  const [, type] = PROBE_FAILS.exec(word) ?? [];
  if (type === "startup" && argument !== undefined) return undefined;
  if (type !== undefined) return { kind: "probe-fails", type: type as ProbeType, afterMs };
  if (argument !== undefined) return undefined;
  return word === "never-ready" || word === "run" || word === "no-image"
    ? { kind: word }
    : undefined;
}

function processAt(address: string): Simulation | undefined {
  const [, host = "", port = ""] = /^(.*):(.*)$/s.exec(address) ?? [];
  if (!LOOPBACK.test(host) || !NUMBER.test(port)) return undefined;
  const number = Number(port);
  return number >= 1 && number <= 65_535 ? { kind: "process", host, port: number } : undefined;
}
