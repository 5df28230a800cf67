/**
 * Parses JSON with many objects in it.
 *
 * @module
 */
import { isAscii } from "node:buffer";
import { exactParserFor } from "./exact-json.ts";
import { cutManagedFields, dropMark } from "./managed-fields.ts";

/** UTF-8 as text. */
export function textOf(bytes: Buffer): string {
  // Node 20 takes four times as long when it has to look at each byte itself.
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
}

/** Reads the parts of one answer. */
export class ObjectReader {
  #cuts: boolean;

  /** @param withoutManagedFields - leaves them out where that saves time; some may come all the same */
  constructor(withoutManagedFields: boolean) {
    this.#cuts = withoutManagedFields;
  }

  /** The values in `text`, which stand there with commas between them. @throws SyntaxError */
  elements(text: string, objectOf: (element: unknown) => unknown): unknown[] {
    const parse = exactParserFor(text);
    const parseAll = (all: string): unknown[] => parse(`[${all}]`) as unknown[];
    return this.#parsed(text, parseAll, (values) => values.map(objectOf));
  }

  /** The value that `text` is. @throws SyntaxError */
  value(text: string, objectsIn: (value: unknown) => readonly unknown[]): unknown {
    return this.#parsed(text, exactParserFor(text), objectsIn);
  }

  #parsed<V>(
    text: string,
    parse: (text: string) => V,
    objectsIn: (value: V) => readonly unknown[],
  ): V {
    if (this.#cuts) {
      const { kept, cuts } = cutManagedFields(text);
      const value = cuts > 0 ? parsedOrNone(kept, parse) : undefined;
      if (value !== undefined && cuts === objectsIn(value).filter(dropMark).length) return value;
      // What was cut was something else, as it is in objects with objects in them; so it will be in the next ones.
      if (cuts > 0) this.#cuts = false;
    }
    return parse(text);
  }
}

/** Whatever is wrong with it is found out again when nothing is cut. */
function parsedOrNone<V>(text: string, parse: (text: string) => V): V | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
