/**
 * The one family of errors: each says what happened, where, and what to do next.
 *
 * A code is a stable, readable name (`kind-exists`); `message` is in the user's words; `fix` is the
 * next step. Subclasses exist only where a caller branches on them.
 */

/**
 * The base of every error that tsop throws on purpose.
 *
 * @example
 * throw new TsopError("no-quota", "The team has no quota left.", "Delete a bucket, or ask for more.");
 */
export class TsopError extends Error {
  override readonly name: string = "TsopError";
  readonly code: string;
  /** The next step, as a sentence. */
  readonly fix: string;

  constructor(code: string, message: string, fix: string, options?: ErrorOptions) {
    // Many messages end with one of others, which often ends with a period of its own.
    super(message.replace(/(?<!\.)\.\.$/, "."), options);
    this.code = code;
    this.fix = fix;
  }
}

/** A wrong use of the command line; the CLI exits with 2. */
export class UsageError extends TsopError {
  override readonly name = "UsageError";
}

/** A defect of tsop itself. */
export class InternalError extends TsopError {
  override readonly name = "InternalError";

  constructor(message: string, options?: ErrorOptions) {
    super(
      "internal-error",
      message,
      "This is a defect of tsop. Please report it with the command and its output.",
      options,
    );
  }
}

/**
 * Ends the retries of a reconcile until something changes.
 *
 * @example
 * if (web.spec.html === "") throw new TerminalError("spec.html is empty");
 */
export class TerminalError extends TsopError {
  override readonly name = "TerminalError";

  constructor(message: string, options?: ErrorOptions) {
    super(
      "terminal-error",
      message,
      "Change the object; it is not retried until it changes.",
      options,
    );
  }
}

/** One finding in a user's file. Lines and columns count from 1. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** All findings of one run about a user's files; the CLI exits with 1. */
export class SourceError extends TsopError {
  override readonly name = "SourceError";
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(
      "source-errors",
      diagnostics.map(formatDiagnostic).join("\n"),
      "Fix the lines above and run the command again; nothing was written.",
    );
    this.diagnostics = diagnostics;
  }
}

/** A finding as two lines: `file:line:column code: message`, then the fix, indented. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, column, code, message, fix } = diagnostic;
  return `${file}:${line}:${column} ${code}: ${message}\n  ${fix}`;
}

/** The message of any thrown value, whatever it is; reading it never throws. */
export function messageOf(thrown: unknown): string {
  try {
    const message: unknown = (thrown as { message?: unknown } | null | undefined)?.message;
    return typeof message === "string" ? message : String(thrown);
  } catch {
    return "a thrown value whose message cannot be read";
  }
}

/** A text as a sentence: with one period at its end. */
export function asSentence(text: string): string {
  return /[.!?]\s*$/.test(text) ? text.trimEnd() : `${text}.`;
}

// Longer than any message of Node and OpenSSL.
const MAX_REASON = 500;
/** Messages that only announce the reason in their cause. */
const EMPTY_MESSAGES = new Set(["", "fetch failed", "terminated"]);

/**
 * The reason of a failure in one short line, without a full stop: the messages of an error and its
 * causes, each once. Node's `fetch failed`, and errors of several addresses, have theirs in there.
 */
export function reasonOf(thrown: unknown): string {
  const messages: string[] = [];
  const seen = new Set<unknown>();
  const collect = (error: unknown): void => {
    if (error === undefined || error === null || seen.has(error)) return;
    seen.add(error);
    const text = messageOf(error).trim().replace(/[.:]$/, "");
    const isNew = !EMPTY_MESSAGES.has(text) && !messages.some((known) => known.includes(text));
    if (isNew) messages.push(text);
    if (error instanceof AggregateError && text === "") error.errors.forEach(collect);
    if (error instanceof Error) collect(error.cause);
  };
  collect(thrown);
  const text = messages.join(": ").replace(/\s+/g, " ") || codeOf(thrown) || messageOf(thrown);
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}...` : text;
}

const codeOf = (thrown: unknown): string => (thrown as { code?: string } | undefined)?.code ?? "";

/** What was thrown, as an Error. */
export function errorFrom(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown), { cause: thrown });
}
