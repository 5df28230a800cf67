/**
 * Objects of the language and its hosts that are not plain JSON: what a client reads and writes never holds one.
 */

const TIME =
  'Write Time or MicroTime, imported from "tsop", and convert with new Date(text) and toISOString().';
const BYTES = 'Write Base64, imported from "tsop": `Buffer.from(text, "base64")` has the bytes.';
const TEXT = "Use string, and create the object where you need it.";
const WRITE_OUT = "Write the type of the JSON value.";

/** The types to write in place of library objects, by the object's name. */
export const LIBRARY_VALUES: ReadonlyMap<string, string> = new Map([
  ["Date", TIME],
  ...["Map", "ReadonlyMap", "WeakMap", "URLSearchParams", "Headers"].map(
    (name) => [name, "Write Record<string, ...>."] as const,
  ),
  ...["Set", "ReadonlySet", "WeakSet"].map(
    (name) => [name, "Use a list with @ListSet(), whose items must be unique."] as const,
  ),
  ...[
    ..."Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array".split(
      " ",
    ),
    ..."Float16Array Float32Array Float64Array BigInt64Array BigUint64Array".split(" "),
    ..."ArrayBuffer SharedArrayBuffer DataView Buffer Blob File".split(" "),
  ].map((name) => [name, BYTES] as const),
  ...["RegExp", "URL"].map((name) => [name, TEXT] as const),
  ["String", "Write string."],
  ["Boolean", "Write boolean."],
  ["Number", 'Write Int32, Int64, Float or Double, imported from "tsop".'],
  ["BigInt", 'Write Int64, imported from "tsop".'],
  ...[
    ..."Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError".split(
      " ",
    ),
    ..."Promise PromiseLike Iterable AsyncIterable Iterator AsyncIterator IterableIterator".split(
      " ",
    ),
    ..."Generator AsyncGenerator ArrayLike Function CallableFunction NewableFunction Symbol".split(
      " ",
    ),
    ..."Object WeakRef Proxy FinalizationRegistry ThisType AbortSignal AbortController".split(" "),
    ..."ReadableStream WritableStream Request Response FormData TextEncoder TextDecoder".split(" "),
    ..."Atomics Math Reflect JSON Event EventTarget".split(" "),
  ].map((name) => [name, WRITE_OUT] as const),
]);

/** The fix for such an object: the type to write in place of it. */
export const libraryFix = (name: string): string => LIBRARY_VALUES.get(name) ?? WRITE_OUT;
