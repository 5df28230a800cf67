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
import type { Probe } from "../../../builtin/shared/pods/pod-shapes.ts";
import type { Simulation } from "../simulation.ts";

type ProcessAddress = Extract<Simulation, { kind: "process" }>;

/** Why the probe fails, in the kubelet's words; `undefined` when it succeeds. */
export function processFailure(
  probe: Probe,
  { host, port }: ProcessAddress,
): Promise<string | undefined> {
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
