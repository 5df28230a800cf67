/**
 * Reads the items of a list while it arrives, so that neither its bytes nor its text are ever in
 * memory as a whole, and parsing overlaps with the server's sending.
 *
 * The end of an item is not computed but guessed: where the text continues as the first item began.
 * The parser proves the guess: a text that begins with an item, and parses as values with commas
 * between them, ends with an item.
 */
import { isJsonObject } from "../../../kube/json.ts";
import { answerTooLarge, LARGEST_ANSWER_BYTES } from "../../transport/answer-size.ts";
import { wholeParts } from "../../transport/lines.ts";
import type { ObjectReader } from "./object-reader.ts";

const ITEMS = `"items":[`;
const METADATA = `"metadata":{"`;
// The maximum size of the text before the items, and of the beginning of an item: far more than
// there is.
const MAX_HEAD_BYTES = 16 * 1024;
const MAX_BORDER_BYTES = 512;
const COMMA = Buffer.from(",");

export interface ReadList {
  readonly items: readonly unknown[];
  /** The list without these items. */
  readonly rest: Buffer;
}

/**
 * Reads a list, or any other answer: then all of it is the rest.
 *
 * @param onItem - gets each of the items before the rest, as soon as it is complete
 * @throws what `body` throws; TsopError `answer-too-large`
 */
export async function readItems(
  body: AsyncIterable<Uint8Array>,
  reader: ObjectReader,
  onItem?: (item: unknown) => void,
): Promise<ReadList> {
  const borders = new ItemBorders();
  const items: unknown[] = [];
  const rest: Buffer[] = [];
  let restBytes = 0;
  for await (const { bytes, ended } of wholeParts(body, (chunk) => borders.lastIn(chunk))) {
    let own = bytes;
    if (ended && rest.length === 0) {
      rest.push(Buffer.from(bytes.subarray(0, borders.headBytes)));
      own = bytes.subarray(borders.headBytes);
    }
    const batch = ended ? elementsOf(own, reader) : undefined;
    if (batch) {
      for (const item of batch) {
        onItem?.(item);
        items.push(item);
      }
      continue;
    }
    // Not a border, or not JSON: the rest of the answer shows which.
    borders.forget();
    rest.push(Buffer.from(own));
    if (ended) rest.push(COMMA);
    restBytes += own.length;
    if (restBytes > LARGEST_ANSWER_BYTES) throw answerTooLarge(LARGEST_ANSWER_BYTES);
  }
  return { items, rest: Buffer.concat(rest) };
}

function elementsOf(bytes: Buffer, reader: ObjectReader): unknown[] | undefined {
  try {
    return reader.elements(bytes);
  } catch {
    return undefined;
  }
}

/** Finds the borders between the items of a list. */
class ItemBorders {
  #start: Buffer = Buffer.alloc(0);
  #border: Buffer | undefined;
  #forgotten = false;
  #headBytes = 0;

  /** The size of the text before the first item; known with the first border. */
  get headBytes(): number {
    return this.#headBytes;
  }

  /**
   * The position of the comma of the last border in the next part of the list; negative when there
   * is none.
   */
  lastIn(part: Buffer): number {
    if (this.#forgotten) return -1;
    const from = this.#border ? 0 : this.#learn(part);
    if (!this.#border) return -1;
    const at = part.lastIndexOf(this.#border);
    return at < from ? -1 : at + 1;
  }

  /** Stops looking for borders. */
  forget(): void {
    this.#forgotten = true;
  }

  /**
   * Learns the text between two items, once enough of the list has arrived; returns the position of
   * the first one in `part`.
   */
  #learn(part: Buffer): number {
    const before = this.#start.length;
    this.#start = Buffer.concat([this.#start, part]);
    const text = this.#start.toString("latin1");
    const first = text.indexOf(`${ITEMS}{`) + ITEMS.length;
    const metadata = text.indexOf(METADATA, first);
    if (first < ITEMS.length || metadata < 0) {
      this.#forgotten = text.length > MAX_HEAD_BYTES;
      return 0;
    }
    const border = `},${text.slice(first, metadata + METADATA.length)}`;
    this.#forgotten = border.length > MAX_BORDER_BYTES || !isHead(text.slice(0, first));
    if (this.#forgotten) return 0;
    this.#start = Buffer.alloc(0);
    this.#border = Buffer.from(border, "latin1");
    this.#headBytes = first;
    return Math.max(first - before, 0);
  }
}

/** Whether the items that follow are those of the answer itself. */
function isHead(text: string): boolean {
  try {
    const list: unknown = JSON.parse(`${text}]}`);
    return isJsonObject(list) && Array.isArray(list["items"]) && list["items"].length === 0;
  } catch {
    return false;
  }
}
