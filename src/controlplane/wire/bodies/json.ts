/** Bodies in JSON. */
import { scanEntries, scanJson } from "../json/json-scanner.ts";
import { WireError, orRefuse } from "../json/wire-error.ts";
import { type TextBody, readType } from "./body.ts";
import { problemOf } from "./problems.ts";

/**
 * Reads JSON.
 *
 * @param merges - as for `scanJson`
 * @throws WireError with Go's words: `unexpected end of JSON input`
 */
export function openJson(bytes: Uint8Array, merges = false): TextBody {
  const { value, duplicates } = orRefuse(
    () => scanJson(bytes, merges),
    (message) => new WireError(`couldn't get version/kind; json parse error: ${message}`),
  );
  return {
    value,
    get type() {
      return readType(value);
    },
    problems: duplicates.map((path) => problemOf("duplicate", path)),
    valueAs: () => value,
    strictly: () => ({ tree: scanEntries(bytes), problems: [] }),
    withEmpty: false,
  };
}
