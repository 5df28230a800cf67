/** Names and hashes that stay the same from one run to the next. */
import { createHash } from "node:crypto";
import { TsopError } from "../errors.ts";
import { encodeJson, isJsonObject } from "./json.ts";

// Without vowels, so that no hash is a word, and without similar characters: the characters of
// generated pod names.
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const HASH_LENGTH = 8;
/** The limit of a DNS label, of the value of a label, and of a Service's name. */
const LABEL_LENGTH = 63;
const LONGEST_HASH = 40;

/**
 * A hash of any JSON value, the same whatever the order of its keys: for an annotation that rolls
 * pods when their configuration changes, for names and labels. Lower-case letters and digits.
 *
 * @example
 * const annotations = { "example.com/config": hashOf(configMap.data) };
 *
 * @param length - at most 40; 8 tell some hundred thousand values apart
 */
export function hashOf(value: unknown, length = HASH_LENGTH): string {
  const digest = createHash("sha256")
    .update(encodeJson(sorted(value)))
    .digest("hex");
  let rest = BigInt(`0x${digest}`);
  let text = "";
  for (let count = 0; count < Math.min(length, LONGEST_HASH); count++) {
    text += ALPHABET[Number(rest % BigInt(ALPHABET.length))] ?? "";
    rest /= BigInt(ALPHABET.length);
  }
  return text;
}

/**
 * Objects as lists of their fields in the order of the keys, without values that JSON omits; lists
 * are marked as such.
 */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ["list", ...value.map(sorted)];
  if (!isJsonObject(value)) return value ?? null;
  if (value instanceof Date) return value.toJSON();
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, field]) => [key, sorted(field)]);
  return ["object", ...fields];
}

/**
 * A name of several parts, joined by dashes, that fits wherever Kubernetes wants a DNS label: the
 * name of a Service, the value of a label. Where it is too long, or parts have characters that it
 * cannot have, it ends with a hash of all parts instead of what was lost. The same parts always
 * give the same name.
 *
 * Parts that have dashes themselves may give one name together: `["a-b", "c"]` and `["a", "b-c"]`.
 * Keep all parts but one constant.
 *
 * @example
 * const name = shortName([web.metadata.name, "config"]); // "my-web-config"
 *
 * @param max - how many characters it may have
 * @throws TsopError `empty-name` when a part is empty; `name-limit` when `max` leaves no room for a
 * hash
 */
export function shortName(parts: readonly string[], max = LABEL_LENGTH): string {
  if (parts.length === 0 || parts.includes("")) {
    throw new TsopError(
      "empty-name",
      `A name cannot be made of ${JSON.stringify(parts)}: a part is missing.`,
      "Check where the parts come from; leave out those that may be empty.",
    );
  }
  if (!(max > HASH_LENGTH + 1)) {
    throw new TsopError(
      "name-limit",
      `A name of at most ${max} characters has no room for a hash of ${HASH_LENGTH}.`,
      `Allow at least ${HASH_LENGTH + 2} characters.`,
    );
  }
  const joined = parts.join("-");
  if (joined.length <= max && DNS_LABEL.test(joined)) return joined;
  const readable = joined
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, max - HASH_LENGTH - 1)
    .replaceAll(/^-+|-+$/g, "");
  const hash = hashOf(parts);
  return readable === "" ? hash : `${readable}-${hash}`;
}

const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
