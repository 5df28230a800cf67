/** The order of ports in Kubernetes: by a hash of their Go representation. */
const OFFSET = 0x6c62272e07bb014262b821756295c58dn;
const PRIME = 0x0000000001000000000000000000013bn;
const MASK = (1n << 128n) - 1n;

/** FNV-1a with 128 bits over the UTF-8 of `text`, as 32 hexadecimal digits. */
function fnv128a(text: string): string {
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(text)) {
    hash = ((hash ^ BigInt(byte)) * PRIME) & MASK;
  }
  return hash.toString(16).padStart(32, "0");
}

/** The items, sorted by the hash of their text from `print`. */
export function sortedByHash<T>(items: readonly T[], print: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, hash: fnv128a(print(item)) }))
    .sort((left, right) => (left.hash < right.hash ? -1 : left.hash > right.hash ? 1 : 0))
    .map(({ item }) => item);
}
