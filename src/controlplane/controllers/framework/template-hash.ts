/** Short, stable names for pod templates. */
import { canonicalJson } from "../../../kube/canonical-json.ts";

const LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a over the JSON of `value` with its keys in order, as letters that spell no words. */
export function hashOf(value: unknown, collisions = 0): string {
  let hash = OFFSET;
  for (const character of `${canonicalJson(value)}${collisions === 0 ? "" : String(collisions)}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), PRIME) >>> 0;
  }
  return lettersOf(hash);
}

/** The hash in the name of a StatefulSet's revision, as upstream computes it: FNV-1 over the bytes. */
export function revisionHash(data: string, collisions: number): string {
  let hash = OFFSET;
  for (const byte of Buffer.from(`${data}${collisions}`)) {
    hash = (Math.imul(hash, PRIME) ^ byte) >>> 0;
  }
  return lettersOf(hash);
}

const lettersOf = (hash: number): string =>
  Array.from(String(hash))
    .map((digit) => LETTERS[digit.charCodeAt(0) % LETTERS.length] ?? "")
    .join("");
