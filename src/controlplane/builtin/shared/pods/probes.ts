/** Validation of probes and lifecycle hooks of containers. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { notNegative, portNumber, portReference } from "../checks.ts";
import type { Container, Handler, PodSpec, Probe } from "./shapes.ts";

/** Validates the hooks and probes of a container. */
export function lifecycleErrors(at: string, container: Container, spec: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const part of ["postStart", "preStop"] as const) {
    const handler = container.lifecycle?.[part];
    if (!handler) continue;
    const field = `${at}.lifecycle.${part}`;
    errors.push(...handlerErrors(field, handler, ["exec", "httpGet", "tcpSocket", "sleep"]));
    const grace = spec.terminationGracePeriodSeconds ?? 0;
    const seconds = handler.sleep?.seconds ?? 0;
    if (handler.sleep && (seconds < 0 || seconds > grace)) {
      errors.push(
        invalidValue(
          `${field}.sleep`,
          seconds,
          `must be non-negative and less than terminationGracePeriodSeconds (${grace})`,
        ),
      );
    }
  }
  for (const part of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const probe = container[part];
    if (!probe) continue;
    errors.push(...probeErrors(`${at}.${part}`, probe));
    if (part === "readinessProbe") {
      if (probe.terminationGracePeriodSeconds !== undefined) {
        errors.push(
          invalidValue(
            `${at}.${part}.terminationGracePeriodSeconds`,
            probe.terminationGracePeriodSeconds,
            "must not be set for readinessProbes",
          ),
        );
      }
    } else if (probe.successThreshold !== 1) {
      errors.push(
        invalidValue(`${at}.${part}.successThreshold`, probe.successThreshold, "must be 1"),
      );
    }
  }
  return errors;
}

function probeErrors(at: string, probe: Probe): FieldError[] {
  return [
    ...handlerErrors(at, probe, ["exec", "httpGet", "tcpSocket", "grpc"]),
    ...notNegative(`${at}.initialDelaySeconds`, probe.initialDelaySeconds),
    ...notNegative(`${at}.timeoutSeconds`, probe.timeoutSeconds),
    ...notNegative(`${at}.periodSeconds`, probe.periodSeconds),
    ...notNegative(`${at}.successThreshold`, probe.successThreshold),
    ...notNegative(`${at}.failureThreshold`, probe.failureThreshold),
  ];
}

/** Validates a handler: it has exactly one action, which is complete. */
function handlerErrors(
  at: string,
  handler: Handler,
  kinds: readonly ("exec" | "httpGet" | "tcpSocket" | "grpc" | "sleep")[],
): FieldError[] {
  const errors: FieldError[] = [];
  const given = kinds.filter((kind) => handler[kind] !== undefined);
  if (given.length === 0) return [required(at, "must specify a handler type")];
  given.forEach((kind, index) => {
    if (index > 0) {
      errors.push(forbidden(`${at}.${kind}`, "may not specify more than 1 handler type"));
      return;
    }
    if (handler.exec && (handler.exec.command ?? []).length === 0) {
      errors.push(required(`${at}.exec.command`));
    }
    if (handler.httpGet) {
      const { path = "", scheme = "", port } = handler.httpGet;
      if (path === "") errors.push(required(`${at}.httpGet.path`));
      errors.push(...portReference(`${at}.httpGet.port`, port));
      if (scheme !== "HTTP" && scheme !== "HTTPS") {
        errors.push(notSupported(`${at}.httpGet.scheme`, scheme, ["HTTP", "HTTPS"]));
      }
    }
    if (handler.tcpSocket) {
      errors.push(...portReference(`${at}.tcpSocket.port`, handler.tcpSocket.port));
    }
    if (handler.grpc) errors.push(...portNumber(`${at}.grpc.port`, handler.grpc.port));
  });
  return errors;
}
