/** A short, stable name for a pod template. */
const LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** FNV-1a over the JSON of `value` with its keys in order, as letters that spell no words. */
export function hashOf(value: unknown, collisions = 0): string {
  let hash = 0x811c9dc5;
  for (const character of `${canonicalJson(value)}${collisions === 0 ? "" : String(collisions)}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return Array.from(String(hash))
    .map((digit) => LETTERS[digit.charCodeAt(0) % LETTERS.length] ?? "")
    .join("");
}

/** JSON that does not depend on the order of keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
