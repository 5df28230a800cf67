/** The output of tsop: styles, texts of several lines, errors as message and fix. */
import { type Diagnostic, messageOf, SourceError, TsopError, UsageError } from "../errors.ts";
import { StatusError } from "../kube/status.ts";
import type { CliContext } from "./context.ts";
import { fileError } from "./file-errors.ts";
import { painter, type Painter } from "./terminal-text.ts";

/** Exit codes, as the README promises them. */
export const ExitCode = { ok: 0, failure: 1, usage: 2, drift: 3 } as const;

/** Styles, or none where they would be noise. */
export const paint = (context: Pick<CliContext, "color">): Painter => painter(context.color);

/** Prints a text of several lines: a file, the help, JSON. The lines of a message from outside are `messageLines`. */
export function printText(print: (line: string) => void, text: string): void {
  for (const line of text.split(/\r?\n/)) print(line);
}

/** Prints what a user should know about a result: sentences, one for each note. */
export function tellNotes(
  notes: readonly string[],
  context: Pick<CliContext, "err" | "color">,
): void {
  for (const note of notes) context.err(`${paint(context).yellow("note")} ${note}`);
}

/** Prints a value for programs. */
export function printJson(context: Pick<CliContext, "out">, value: unknown): void {
  const out = (line: string): void => {
    context.out(line);
  };
  printText(out, JSON.stringify(value, undefined, 2));
}

/** The lines of a message. All but the first are indented, so that none looks like a line of tsop's own. */
export const messageLines = (message: string): string[] =>
  message.split(/\r?\n/).map((line, index) => (index === 0 ? line : `    ${line.trimStart()}`));

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
  const err = (line: string): void => {
    context.err(line);
  };
  const report = (code: string, message: string, fix: string): void => {
    messageLines(`${red(bold("error"))} ${code}: ${message}`).forEach(err);
    messageLines(`  ${yellow("fix")} ${fix}`).forEach(err);
    if (context.env["TSOP_DEBUG"] && thrown instanceof Error) printText(err, thrown.stack ?? "");
  };
  if (thrown instanceof SourceError) {
    for (const diagnostic of thrown.diagnostics) printDiagnostic(diagnostic, context);
    context.err(`${red(bold(`${countsOf(thrown.diagnostics)}.`))} ${nextStep}`);
    return ExitCode.failure;
  }
  if (thrown instanceof TsopError) {
    report(thrown.code, thrown.message, thrown.fix);
    return thrown instanceof UsageError ? ExitCode.usage : ExitCode.failure;
  }
  if (thrown instanceof StatusError) {
    report("api-server", thrown.message, fixOfStatus(thrown));
    return ExitCode.failure;
  }
  const ofFile = fileError(thrown);
  if (ofFile) return reportError(ofFile, context);
  report(
    "internal-error",
    messageOf(thrown),
    "This is a defect of tsop. Please report it with the command and its output; TSOP_DEBUG=1 adds a stack trace.",
  );
  return ExitCode.failure;
}

/** The number of findings of each severity: `2 errors, 1 warning`. */
function countsOf(diagnostics: readonly Diagnostic[]): string {
  return (["error", "warning"] as const)
    .map(
      (severity) =>
        [severity, diagnostics.filter((one) => one.severity === severity).length] as const,
    )
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => `${count} ${severity}${count === 1 ? "" : "s"}`)
    .join(", ");
}

/** Prints a finding in a file of the user's. */
export function printDiagnostic(
  { file, line, column, severity, code, message, fix }: Diagnostic,
  context: Pick<CliContext, "err" | "color">,
): void {
  const { red, yellow } = paint(context);
  const kind = severity === "error" ? red(severity) : yellow(severity);
  messageLines(`${file}:${line}:${column} ${kind} ${code}: ${message}`).forEach((text) => {
    context.err(text);
  });
  messageLines(`  ${fix}`).forEach((text) => {
    context.err(text);
  });
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
