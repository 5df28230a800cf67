/**
 * Readiness of pods whose process runs on this machine: probed there, as a kubelet probes a
 * container.
 *
 * @see
 * https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/
 */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Container, Probe } from "../../builtin/shared/pods/pod-shapes.ts";
import { msOf } from "../../../kube/values/times.ts";
import { textOf } from "../framework/keys.ts";
import { type Note, type Step, earliest, warning } from "./container-step.ts";
import type { Simulation } from "./simulation.ts";

type ProcessAddress = Extract<Simulation, { kind: "process" }>;

interface Asked {
  readonly startedAt: string;
  ready: boolean;
  /** How many results in a row were like the last one. */
  streak: number;
  lastGood: boolean | undefined;
  nextAtMs: number;
}

/** Runs readiness probes when they are due, and remembers their results. */
export class ReadinessProbes {
  readonly #asked = new Map<string, Asked>();

  /** Forgets a pod, by its `namespace/name`. */
  forget(pod: string): void {
    for (const key of this.#asked.keys()) {
      if (key.startsWith(`${pod}/`)) this.#asked.delete(key);
    }
  }

  /** Whether the container is ready by its probe's results so far; `undefined` when it has no probe to run. */
  isReady(pod: string, { name, readinessProbe }: Container): boolean | undefined {
    if (!canAsk(readinessProbe)) return undefined;
    return this.#asked.get(`${pod}/${name}`)?.ready ?? false;
  }

  /** Runs the due probes of the pod's running containers. @returns the failures, and when the next probe is due */
  async ask(pod: Pod, address: ProcessAddress, nowMs: number): Promise<Omit<Step, "status">> {
    const notes: Note[] = [];
    const wakes: number[] = [];
    for (const { name, readinessProbe } of pod.spec.containers ?? []) {
      const status = pod.status?.containerStatuses?.find((one) => one.name === name);
      const startedAt = status?.state?.running?.startedAt;
      if (startedAt === undefined || !canAsk(readinessProbe)) continue;
      const key = `${textOf(pod)}/${name}`;
      let asked = this.#asked.get(key);
      if (asked?.startedAt !== startedAt) {
        const nextAtMs = msOf(startedAt) + 1000 * (readinessProbe.initialDelaySeconds ?? 0);
        asked = { startedAt, ready: false, streak: 0, lastGood: undefined, nextAtMs };
        this.#asked.set(key, asked);
      }
      if (nowMs >= asked.nextAtMs) {
        const failure = await failureOf(readinessProbe, address);
        if (failure !== undefined) {
          notes.push(warning("Unhealthy", `Readiness probe failed: ${failure}`));
        }
        count(asked, readinessProbe, failure === undefined);
        asked.nextAtMs = nowMs + 1000 * (readinessProbe.periodSeconds ?? 10);
      }
      wakes.push(asked.nextAtMs);
    }
    return { notes, ...earliest(wakes) };
  }
}

function count(asked: Asked, probe: Probe, isGood: boolean): void {
  asked.streak = asked.lastGood === isGood ? asked.streak + 1 : 1;
  asked.lastGood = isGood;
  const needed = isGood ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
  if (asked.streak >= needed) asked.ready = isGood;
}

/** Commands and gRPC are not probed; such containers are ready like those without a probe. */
const canAsk = (probe: Probe | undefined): probe is Probe =>
  probe?.httpGet !== undefined || probe?.tcpSocket !== undefined;

/** Why the probe fails, in the kubelet's words; `undefined` when it succeeds. */
function failureOf(probe: Probe, { host, port }: ProcessAddress): Promise<string | undefined> {
  const hostname = host.replace(/^\[|\]$/g, "");
  const timeout = 1000 * (probe.timeoutSeconds ?? 1);
  const dial = `dial tcp ${host}:${port}`;
  const { httpGet } = probe;
  if (!httpGet) {
    return new Promise((resolve) => {
      const socket = connect({ host: hostname, port, timeout });
      const end = (failure?: string): void => {
        socket.destroy();
        resolve(failure);
      };
      socket.once("connect", () => end());
      socket.once("timeout", () => end(`${dial}: i/o timeout`));
      socket.once("error", (error) => end(`${dial}: ${connectFailure(error)}`));
    });
  }
  const { scheme = "HTTP", path = "/", httpHeaders = [] } = httpGet;
  const url = `${scheme.toLowerCase()}://${host}:${port}${path}`;
  const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
  return new Promise((resolve) => {
    const options = { hostname, port, path, headers, timeout, agent: false };
    // A kubelet does not verify the certificate of a container either.
    const asked = url.startsWith("https:")
      ? httpsRequest({ ...options, rejectUnauthorized: false })
      : httpRequest(options);
    const end = (failure?: string): void => {
      resolve(failure);
      asked.destroy();
    };
    asked.once("response", (response) => {
      response.resume();
      const code = response.statusCode ?? 0;
      end(code >= 200 && code < 400 ? undefined : `HTTP probe failed with statuscode: ${code}`);
    });
    asked.once("timeout", () => end(`Get "${url}": context deadline exceeded`));
    asked.once("error", (error) => end(`Get "${url}": ${dial}: ${connectFailure(error)}`));
    asked.end();
  });
}

const connectFailure = (error: NodeJS.ErrnoException): string =>
  error.code === "ECONNREFUSED" ? "connect: connection refused" : error.message;
