/** The output of tsop: colours, plans, errors as message and fix. */
import pc from "picocolors";
import { messageOf, SourceError, TsopError, UsageError } from "../errors.ts";
import { StatusError } from "../kube/status.ts";
import type { CliContext } from "./context.ts";
import { fileError } from "./file-errors.ts";

/** Exit codes, as the README promises them. */
export const ExitCode = { ok: 0, failure: 1, usage: 2, drift: 3 } as const;

/** Colours, or none where they would be noise. */
export function paint(context: CliContext): ReturnType<typeof pc.createColors> {
  return pc.createColors(context.color);
}

/**
 * Prints an error and the next step; returns the exit code.
 *
 * @param nextStep - after mistakes in the source, where the command goes on by itself
 */
export function reportError(
  thrown: unknown,
  context: CliContext,
  nextStep = thrown instanceof TsopError ? thrown.fix : "",
): number {
  const { red, bold, yellow } = paint(context);
  if (thrown instanceof SourceError) {
    for (const line of thrown.message.split("\n")) context.err(line);
    const count = thrown.diagnostics.filter(({ severity }) => severity === "error").length;
    context.err(`${red(bold(`${count} ${count === 1 ? "mistake" : "mistakes"}.`))} ${nextStep}`);
    return ExitCode.failure;
  }
  if (thrown instanceof TsopError) {
    context.err(`${red(bold("error"))} ${thrown.code}: ${thrown.message}`);
    context.err(`  ${yellow("fix")} ${thrown.fix}`);
    if (context.env["TSOP_DEBUG"]) context.err(thrown.stack ?? "");
    return thrown instanceof UsageError ? ExitCode.usage : ExitCode.failure;
  }
  if (thrown instanceof StatusError) {
    context.err(`${red(bold("error"))} api-server: ${thrown.message}`);
    context.err(`  ${yellow("fix")} ${fixOfStatus(thrown)}`);
    return ExitCode.failure;
  }
  const ofFile = fileError(thrown);
  if (ofFile) return reportError(ofFile, context);
  context.err(`${red(bold("error"))} internal-error: ${messageOf(thrown)}`);
  context.err(
    `  ${yellow("fix")} This is a defect of tsop. Please report it with the command and its output; TSOP_DEBUG=1 adds a stack trace.`,
  );
  if (context.env["TSOP_DEBUG"] && thrown instanceof Error) context.err(thrown.stack ?? "");
  return ExitCode.failure;
}

function fixOfStatus(error: StatusError): string {
  switch (error.code) {
    case 401:
      return "Log in again: the API server does not accept these credentials.";
    case 403:
      return "Request the missing permission, or use another --context.";
    case 404:
      return "Install the kind first (`tsop install`), and check the namespace.";
    case 409:
      return "Someone else owns or changed it; look at it with `kubectl get -o yaml`, then run the command again.";
    case 422:
      return "Change the fields that the message names.";
    default:
      return "Run the command again; if the error stays, look at the API server's log.";
  }
}
