/**
 * Tables that come with the program: JSON objects with a line for each entry.
 *
 * A starting program needs few of a table's hundreds of entries, so each is parsed on first use;
 * until then only its text is kept.
 */
import { readFileSync } from "node:fs";

/** A table in a file, read on first use and then kept: it never changes. */
export class LineTable<T> {
  readonly #file: URL;
  readonly #read: (text: string) => T;
  readonly #values = new Map<string, T>();
  #texts: ReadonlyMap<string, string> | undefined;

  /**
   * @param file - a JSON object, each of its entries on a line of its own; names have no escapes
   * @param read - makes an entry of its JSON
   */
  constructor(file: URL, read: (text: string) => T = JSON.parse) {
    this.#file = file;
    this.#read = read;
  }

  /** The text of each entry's value by its name, in the order of the file. */
  get texts(): ReadonlyMap<string, string> {
    return (this.#texts ??= new Map(entriesOf(readFileSync(this.#file, "utf8"))));
  }

  get(name: string): T | undefined {
    let value = this.#values.get(name);
    if (value === undefined) {
      const text = this.texts.get(name);
      if (text === undefined) return undefined;
      value = this.#read(text);
      this.#values.set(name, value);
    }
    return value;
  }
}

function* entriesOf(text: string): Iterable<[name: string, value: string]> {
  for (const line of text.split("\n")) {
    const begin = line.indexOf('"') + 1;
    const end = line.indexOf('":', begin);
    if (begin === 0 || end < 0) continue;
    yield [line.slice(begin, end), line.slice(end + 2, line.endsWith(",") ? -1 : undefined)];
  }
}
