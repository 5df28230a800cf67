/**
 * Regular expressions in RE2's syntax.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
import { RE2JS } from "re2js";
import { messageOf } from "../../errors.ts";
import { CelError } from "./values.ts";

/** The pattern, ready for use; or Go's error. */
export function compilePattern(pattern: string): RE2JS | CelError {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return new CelError(messageOf(error));
  }
}

/** Whether the pattern is found anywhere in the text. */
export function matchesPattern(text: string, pattern: string): boolean | CelError {
  const compiled = compilePattern(pattern);
  return compiled instanceof CelError ? compiled : compiled.matcher(text).find();
}
