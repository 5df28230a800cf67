/** How much of one answer may be in memory at a time. */
import { TsopError } from "../../errors.ts";

/** Hundreds of times what an API server sends as one object or one page; V8 makes no longer text of it either. */
export const LARGEST_ANSWER_BYTES = 512 * 1024 * 1024;

/** The error for an answer, or an indivisible part of one, that is too long. */
export function answerTooLarge(limitBytes: number): TsopError {
  return new TsopError(
    "answer-too-large",
    `The API server sent more than ${Math.floor(limitBytes / 2 ** 20)} MiB in one piece.`,
    "Ask for less: a list with a limit or a selector, or the end of a log.",
  );
}
