/**
 * The error of a body that cannot be decoded: the message alone, which callers put into their own
 * words.
 */

/** A body that is not of the expected kind; the message is the API server's. */
export class WireError extends Error {
  override readonly name = "WireError";
}
