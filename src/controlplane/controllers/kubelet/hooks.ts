/** Lifecycle hooks of containers. */
import type { Container, Handler } from "../../builtin/shared/pods/pod-shapes.ts";
import type { PodParts } from "./pod-parts.ts";
import type { RuntimeContainer } from "./runtime/runtime-state.ts";

/** The course of a hook. */
export interface HookRun {
  /** `Infinity` when it never ends. */
  readonly durationMs: number;
  /** Why it fails, in the kubelet's words. */
  readonly failure: string | undefined;
}

const DONE: HookRun = { durationMs: 0, failure: undefined };

export function runHook(
  parts: PodParts,
  container: Container,
  { state }: RuntimeContainer,
  hook: Handler & { readonly sleep?: { readonly seconds: number } },
): HookRun {
  if (state.kind !== "running") return DONE;
  const about = `for Container ${JSON.stringify(container.name)} in Pod ${JSON.stringify(parts.text)} failed - error:`;
  if (hook.sleep) return { durationMs: 1000 * hook.sleep.seconds, failure: undefined };
  if (hook.exec) {
    const { command = [] } = hook.exec;
    const run = state.process.exec(command, parts.nowMs);
    if (!run) return DONE;
    const durationMs = run.endMs ?? Infinity;
    if (run.exitCode === 0) return { durationMs, failure: undefined };
    const output = run.output.map(({ text }) => text).join("");
    const failure = `Exec lifecycle hook ([${command.join(" ")}]) ${about} command '${command.join(" ")}' exited with ${run.exitCode}: ${output}, message: ${JSON.stringify(output)}`;
    return { durationMs, failure };
  }
  // A command that is understood, such as `sleep`, listens nowhere.
  if (!hook.httpGet || state.process.mayListen) return DONE;
  const { scheme = "HTTP", path = "/", host = parts.setting.address, port } = hook.httpGet;
  const failure = `HTTP lifecycle hook (${path}) ${about} Get "${scheme.toLowerCase()}://${host}:${port}${path}": dial tcp ${host}:${port}: connect: connection refused`;
  return { durationMs: 0, failure };
}
