/** Texts of at most a number of bytes, with a mark that tells how much was cut. */

// The mark with a number of up to twelve digits, in bytes.
const MARK_BYTES = 36;

/** The bytes of one code unit of a text, as JSON in UTF-8; half of the four of a surrogate pair. */
function bytesOf(unit: number): number {
  if (unit < 0x20) return unit >= 8 && unit <= 13 && unit !== 11 ? 2 : 6;
  if (unit < 0x80) return unit === 0x22 || unit === 0x5c ? 2 : 1;
  if (unit < 0x800) return 2;
  // A lone surrogate is written as six characters.
  return unit >= 0xd800 && unit <= 0xdfff ? 6 : 3;
}

/** How many code units of the text fit into these bytes, as JSON in UTF-8. */
function fitting(text: string, maxBytes: number): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    bytes += bytesOf(text.charCodeAt(at));
    if (bytes > maxBytes) return at;
  }
  return text.length;
}

/**
 * The text as it is, or its start and a mark: `abc... (17 more characters)`.
 *
 * @param maxBytes - of the result as a JSON string in UTF-8, without its quotes
 */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * 6 <= maxBytes || fitting(text, maxBytes) === text.length) return text;
  let end = fitting(text, Math.max(0, maxBytes - MARK_BYTES));
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end--;
  return `${text.slice(0, end)}... (${text.length - end} more characters)`;
}

/** Bytes that a line has left; those of the texts that were cut by it are taken off. */
export class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  get left(): number {
    return this.#left;
  }

  /** Takes the bytes of something of that size; false where they are not left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  /** The text, cut to what is left and to `maxBytes`. */
  cut(text: string, maxBytes = Infinity): string {
    const cut = cutText(text, Math.max(MARK_BYTES, Math.min(maxBytes, this.#left)));
    this.#left -= jsonBytes(cut);
    return cut;
  }
}

/** The bytes of the text as a JSON string in UTF-8, without its quotes. */
function jsonBytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) bytes += bytesOf(text.charCodeAt(at));
  return bytes;
}
