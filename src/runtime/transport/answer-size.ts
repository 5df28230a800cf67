/** The limit of an answer in memory. */
import { TsopError } from "../../errors.ts";

/** Hundreds of times the size of an object or a page, and the longest text of V8. */
export const LARGEST_ANSWER_BYTES = 512 * 1024 * 1024;

/** The error for an answer, or an indivisible part of one, that is too large. */
export function answerTooLarge(limitBytes: number): TsopError {
  return new TsopError(
    "answer-too-large",
    `The API server sent more than ${Math.floor(limitBytes / 2 ** 20)} MiB in one piece.`,
    "Request less: use a limit or a selector for a list, or read only the end of a log.",
  );
}
