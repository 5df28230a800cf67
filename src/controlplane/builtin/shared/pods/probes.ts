/** Validation of probes and lifecycle hooks of containers. */
import type { Check } from "../../../../kube/check.ts";
import { checkNotNegative, checkPortNumber, checkPortReference } from "../checks.ts";
import type { Container, Handler, Probe } from "./pod-shapes.ts";

type Action = "exec" | "httpGet" | "tcpSocket" | "grpc" | "sleep";

/** Validates the hooks and probes of a container, whose pod has `graceSeconds` to terminate. */
export function checkLifecycle(container: Check<Container>, graceSeconds = 0): void {
  for (const part of ["postStart", "preStop"] as const) {
    container.at("lifecycle", part).ifSet((hook) => checkHook(hook, graceSeconds));
  }
  container.at("livenessProbe").ifSet(checkLivenessProbe);
  container.at("readinessProbe").ifSet((probe) => {
    checkProbe(probe);
    const grace = probe.at("terminationGracePeriodSeconds");
    if (grace.value !== undefined) grace.invalid("must not be set for readinessProbes");
  });
  container.at("startupProbe").ifSet(checkLivenessProbe);
}

function checkHook(hook: Check<Handler>, graceSeconds: number): void {
  checkHandler(hook, ["exec", "httpGet", "tcpSocket", "sleep"]);
  hook.at("sleep").ifSet((sleep) => {
    const { seconds } = sleep.value;
    if (seconds >= 0 && seconds <= graceSeconds) return;
    const limit = `terminationGracePeriodSeconds (${graceSeconds})`;
    sleep.invalid(`must be non-negative and less than ${limit}`, seconds);
  });
}

function checkLivenessProbe(probe: Check<Probe>): void {
  checkProbe(probe);
  const successes = probe.at("successThreshold");
  if (successes.value !== 1) successes.invalid("must be 1");
}

function checkProbe(probe: Check<Probe>): void {
  checkHandler(probe, ["exec", "httpGet", "tcpSocket", "grpc"]);
  checkNotNegative(probe.at("initialDelaySeconds"));
  checkNotNegative(probe.at("timeoutSeconds"));
  checkNotNegative(probe.at("periodSeconds"));
  checkNotNegative(probe.at("successThreshold"));
  checkNotNegative(probe.at("failureThreshold"));
}

/** Validates a handler: it has exactly one action, which is complete. */
function checkHandler(handler: Check<Handler>, actions: readonly Action[]): void {
  const [first, ...others] = actions.filter((action) => handler.value[action] !== undefined);
  if (!first) handler.required("must specify a handler type");
  else if (first === "exec") handler.at("exec", "command").given();
  else if (first === "httpGet") handler.at("httpGet").ifSet(checkHttpGet);
  else if (first === "tcpSocket") checkPortReference(handler.at("tcpSocket", "port"));
  else if (first === "grpc") checkPortNumber(handler.at("grpc", "port"));
  for (const action of others) {
    handler.at(action).forbidden("may not specify more than 1 handler type");
  }
}

function checkHttpGet(httpGet: Check<NonNullable<Handler["httpGet"]>>): void {
  httpGet.at("path").given();
  checkPortReference(httpGet.at("port"));
  httpGet.at("scheme").oneOf(["HTTP", "HTTPS"]);
}
