/** Keys in order, kept in pieces: adding a key moves few others, however many there are. */

/** The length above which a piece is cut in two. */
const PIECE_MAX = 512;

/** A sorted set of strings, in the order of their UTF-16 code units. */
export class SortedKeys {
  /** The pieces: none is empty, and each begins after the one before ends. */
  readonly #pieces: string[][] = [];

  add(key: string): void {
    const index = Math.max(this.#pieceOf(key), 0);
    const piece = this.#pieces[index];
    if (!piece) {
      this.#pieces.push([key]);
      return;
    }
    const at = placeIn(piece, key);
    if (piece[at] === key) return;
    piece.splice(at, 0, key);
    if (piece.length > PIECE_MAX) {
      this.#pieces.splice(index + 1, 0, piece.splice(PIECE_MAX / 2));
    }
  }

  delete(key: string): void {
    const index = this.#pieceOf(key);
    const piece = this.#pieces[index];
    if (!piece) return;
    const at = placeIn(piece, key);
    if (piece[at] !== key) return;
    piece.splice(at, 1);
    if (piece.length === 0) this.#pieces.splice(index, 1);
  }

  /** The keys from `from` up to `end`, which is not included, in order; all keys without bounds. */
  range(from = "", end?: string): string[] {
    const first = Math.max(this.#pieceOf(from), 0);
    const last = end === undefined ? this.#pieces.length : this.#pieceOf(end) + 1;
    return this.#pieces
      .slice(first, last)
      .flatMap((piece) =>
        piece.slice(placeIn(piece, from), end === undefined ? undefined : placeIn(piece, end)),
      );
  }

  /** The last piece that begins at or before `key`; -1 when all begin after it. */
  #pieceOf(key: string): number {
    return firstIndex(this.#pieces, ([first = ""]) => first > key) - 1;
  }
}

/** The index of `key` in a piece, or the index at which it would be inserted. */
const placeIn = (piece: readonly string[], key: string): number =>
  firstIndex(piece, (other) => other >= key);

/** The index of the first item that is `past` a point in a sorted list; its length if none is. */
export function firstIndex<T>(items: readonly T[], past: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (past(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
