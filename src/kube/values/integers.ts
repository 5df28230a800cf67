/** The errors of whole numbers in the words of Go's `strconv`. */

/** The error of a signed number of 64 bits, as `strconv.ParseInt` says it; `undefined` when it is valid. */
export const int64Problem = (text: string): string | undefined =>
  numberProblem("ParseInt", text, /^[+-]?\d+$/, [-(2n ** 63n), 2n ** 63n]);

/** The error of an unsigned number of 64 bits, as `strconv.ParseUint` says it; `undefined` when it is valid. */
export const uint64Problem = (text: string): string | undefined =>
  numberProblem("ParseUint", text, /^\d+$/, [0n, 2n ** 64n]);

/** Whole numbers of at most this many digits are exact, and in range. */
const EXACT_DIGITS = 15;

/** The error of a whole number from `least` up to `limit`, in the words of Go's function. */
function numberProblem(
  parse: "ParseInt" | "ParseUint",
  text: string,
  form: RegExp,
  [least, limit]: readonly [bigint, bigint],
): string | undefined {
  const isNumber = form.test(text);
  const value = isNumber && text.length > EXACT_DIGITS ? BigInt(text) : 0n;
  if (isNumber && value >= least && value < limit) return undefined;
  const why = isNumber ? "value out of range" : "invalid syntax";
  return `strconv.${parse}: parsing ${JSON.stringify(text)}: ${why}`;
}
