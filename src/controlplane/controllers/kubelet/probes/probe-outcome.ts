/** What probes of simulated containers find. */
import type { Container, Probe } from "../../../builtin/shared/pods/pod-shapes.ts";
import { baseName } from "../program/command-words.ts";
import type { Process } from "../program/process.ts";
import type { Simulation } from "../simulation.ts";
import { processFailure } from "./process-probe.ts";

export type ProbeType = "liveness" | "readiness" | "startup";

export interface Probed {
  readonly container: Container;
  readonly type: ProbeType;
  readonly probe: Probe;
  readonly process: Process;
  /** When the container was started. */
  readonly startMs: number;
  readonly address: string;
  readonly simulation: Simulation;
}

/** Whether all that the probe will find is success, as far as it is known now. */
export function alwaysSucceeds({ type, probe, process, simulation }: Probed): boolean {
  if (simulation.kind === "process") return type !== "readiness" || !isOfNetwork(probe);
  if (simulation.kind === "probe-fails" && simulation.type === type) return false;
  if (simulation.kind === "never-ready" && type === "readiness") return false;
  // What it finds can change only by the files of the container.
  if (probe.exec) return !process.writesFiles && failureOfExec(probe, process, 0) === undefined;
  return process.mayListen;
}

const isOfNetwork = (probe: Probe): boolean =>
  probe.httpGet !== undefined || probe.tcpSocket !== undefined;

/** Why the probe fails, in the kubelet's words; `undefined` when it succeeds. */
export async function probeFailure(probed: Probed, nowMs: number): Promise<string | undefined> {
  const { type, probe, process, startMs, address, simulation } = probed;
  if (simulation.kind === "process") {
    if (type !== "readiness" || !isOfNetwork(probe)) return undefined;
    return processFailure(probe, simulation);
  }
  const isScripted =
    (simulation.kind === "never-ready" && type === "readiness") ||
    (simulation.kind === "probe-fails" &&
      simulation.type === type &&
      nowMs >= startMs + simulation.afterMs);
  if (isScripted) return scriptedFailure(probed, address);
  if (probe.exec) return failureOfExec(probe, process, nowMs);
  // A command that is understood, such as `sleep`, listens nowhere.
  return process.mayListen ? undefined : refused(probed, address);
}

function scriptedFailure(probed: Probed, address: string): string {
  const { httpGet, exec } = probed.probe;
  if (httpGet) return "HTTP probe failed with statuscode: 503";
  return exec ? "" : refused(probed, address);
}

function failureOfExec(probe: Probe, process: Process, nowMs: number): string | undefined {
  const { command = [] } = probe.exec ?? {};
  const run = process.exec(command, nowMs);
  if (!run) return undefined;
  const timeoutMs = 1000 * (probe.timeoutSeconds ?? 1);
  if (run.endMs === undefined || run.endMs > timeoutMs) {
    const words = command.map((word, index) => (index === 0 ? baseName(word) : word)).join(" ");
    return `command timed out: "${words}" timed out after ${timeoutMs / 1000}s`;
  }
  return run.exitCode === 0 ? undefined : run.output.map(({ text }) => text).join("");
}

/** What a kubelet says of a port at which nothing listens. */
function refused({ probe, container }: Probed, address: string): string {
  const { httpGet, tcpSocket, grpc } = probe;
  const port = portOf(container, httpGet?.port ?? tcpSocket?.port ?? grpc?.port ?? 0);
  const host = httpGet?.host ?? tcpSocket?.host ?? address;
  const dial = `dial tcp ${host}:${port}: connect: connection refused`;
  if (grpc)
    return `timeout: failed to connect service "${host}:${port}" within ${probe.timeoutSeconds ?? 1}s: context deadline exceeded`;
  if (!httpGet) return dial;
  const { scheme = "HTTP", path = "/" } = httpGet;
  return `Get "${scheme.toLowerCase()}://${host}:${port}${path}": ${dial}`;
}

function portOf({ ports = [] }: Container, port: number | string): number | string {
  if (typeof port === "number") return port;
  return ports.find(({ name }) => name === port)?.containerPort ?? port;
}
