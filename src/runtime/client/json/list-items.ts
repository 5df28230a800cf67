/**
 * Reads the items of a list while the list comes in, so that neither its bytes nor its text are ever in memory as a whole,
 * and the time that the server takes is used.
 *
 * Where an item ends is not worked out but guessed: where the text goes on as the first item began. The parser proves it:
 * what begins with an item, and is some values with commas between them, ends with an item.
 *
 * @module
 */
import { isJsonObject } from "../../../kube/json.ts";
import { answerTooLarge, LARGEST_ANSWER_BYTES } from "../../transport/answer-size.ts";
import { wholeParts } from "../../transport/lines.ts";
import type { ObjectReader } from "./object-reader.ts";

const ITEMS = `"items":[`;
const METADATA = `"metadata":{"`;
// What comes before the items, and what an item begins with: far more than there is.
const MAX_HEAD_BYTES = 16 * 1024;
const MAX_BORDER_BYTES = 512;
const COMMA = Buffer.from(",");

/** A list of which some items were parsed. */
export interface ReadList {
  readonly items: readonly unknown[];
  /** The list as it would be without these. */
  readonly rest: Buffer;
}

/**
 * Reads a list, or whatever an answer is: then all of it is the rest.
 *
 * @param onItem - told of each of the items before the rest, as soon as it is there
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
    // No border, or no JSON: with what follows it comes out which.
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

/** Finds where an item of a list ends and the next one begins. */
class ItemBorders {
  #start: Buffer = Buffer.alloc(0);
  #border: Buffer | undefined;
  #forgotten = false;
  #headBytes = 0;

  /** What comes before the first item; known with the first border. */
  get headBytes(): number {
    return this.#headBytes;
  }

  /** Where the comma of the last border in the next part of the list is; below 0: there is none. */
  lastIn(part: Buffer): number {
    if (this.#forgotten) return -1;
    const from = this.#border ? 0 : this.#learn(part);
    if (!this.#border) return -1;
    const at = part.lastIndexOf(this.#border);
    return at < from ? -1 : at + 1;
  }

  /** There are no more borders. */
  forget(): void {
    this.#forgotten = true;
  }

  /** Finds out what stands between two items, if enough of the list is there; returns where in `part` the first one is. */
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

/** Whether the items that come next are those of the answer itself. */
function isHead(text: string): boolean {
  try {
    const list: unknown = JSON.parse(`${text}]}`);
    return isJsonObject(list) && Array.isArray(list["items"]) && list["items"].length === 0;
  } catch {
    return false;
  }
}
