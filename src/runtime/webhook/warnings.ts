/**
 * Warnings of one review, within the limits of the API server's `Warning` headers.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#response
 */
const MAX_BYTES = 256;
const MAX_TOTAL_BYTES = 4096;
// The message about those that are left out has to fit, too.
const ROOM_FOR_MORE_BYTES = 64;

export class Warnings {
  readonly #texts: string[] = [];
  #bytes = 0;
  #leftOut = 0;

  /** Adds one; its first 256 bytes are kept. */
  add(message: string): void {
    // The header would end at a line break.
    const text = cut(message.replaceAll(/\s+/g, " ").trim());
    const bytes = Buffer.byteLength(text);
    if (text === "") return;
    if (this.#bytes + bytes > MAX_TOTAL_BYTES - ROOM_FOR_MORE_BYTES) {
      this.#leftOut++;
      return;
    }
    this.#bytes += bytes;
    this.#texts.push(text);
  }

  /** All of them; how many more there were is the last one. */
  get texts(): readonly string[] {
    return this.#leftOut === 0
      ? this.#texts
      : [...this.#texts, `and ${this.#leftOut} more warnings that are not shown`];
  }
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  const bytes = Buffer.from(text);
  let end = MAX_BYTES;
  // Not in the middle of a character: its further bytes begin with 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString();
}
