/**
 * Assigns a key to one of several processes: the one with the highest score for it. When a process
 * comes or goes, only the keys that it gets, or had, move.
 *
 * @see https://en.wikipedia.org/wiki/Rendezvous_hashing
 */

/** The member that a key belongs to; `undefined` without members. Their order does not matter. */
export function ownerOf(key: string, members: readonly string[]): string | undefined {
  const keyHash = hashOf(key);
  let owner: string | undefined;
  let highest = -1;
  for (const member of members) {
    const score = mixed(hashOf(member) ^ keyHash);
    if (score > highest || (score === highest && owner !== undefined && member < owner)) {
      owner = member;
      highest = score;
    }
  }
  return owner;
}

/** FNV-1a with 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mixed(hash);
}

/** MurmurHash3's finalizer: every bit of the input affects every bit of the result. */
function mixed(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
