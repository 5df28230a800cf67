/**
 * Bodies that cannot be read: the message alone, for the request to put into its own words.
 *
 * @module
 */

/** A body that is not of the kind that it should be; the message is the API server's. */
export class WireError extends Error {
  override readonly name = "WireError";
}
