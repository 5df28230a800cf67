/** Errors as kubectl words them. */
import { messageOf, TsopError } from "../errors.ts";
import { StatusError } from "../kube/status.ts";
import { ConnectionError } from "../runtime/transport/transport.ts";

/** The plugin was called wrongly; the message says how, and help is named below it. */
export class CallError extends Error {
  override readonly name = "CallError";
}

/** The lines about an error. */
export function failureLines(error: unknown, helpCommand: string): readonly string[] {
  if (error instanceof CallError) {
    return [`error: ${error.message}`, `See '${helpCommand} --help' for usage.`];
  }
  if (error instanceof StatusError) {
    const reason = error.reason === "" ? "" : ` (${error.reason})`;
    return [`Error from server${reason}: ${error.message}`];
  }
  if (error instanceof ConnectionError) {
    return [`Unable to connect to the server: ${error.message}`, error.fix];
  }
  if (error instanceof TsopError) return [`error: ${error.message}`, error.fix];
  return [`error: ${messageOf(error)}`];
}
