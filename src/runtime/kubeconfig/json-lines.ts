/** The lines of the fields of a JSON text. */
import type { FieldPath } from "./field.ts";

/** A value, and the places of the values in it. */
interface Place {
  readonly line: number;
  readonly members: Map<string | number, Place>;
}

/** A mapping or list that is not closed yet. */
interface Open {
  readonly place: Place;
  readonly isList: boolean;
  /** The name or index of the next value; `undefined` while a name is expected. */
  step: string | number | undefined;
}

/** The characters that end a number or a name: white space, punctuation, or a quote. */
const ENDS_WORD = /[\s{}[\],:"]/g;

/** The lines of the values of a text; lines count from 1. */
export class JsonLines {
  readonly #text: string;
  readonly #root: Place = { line: 1, members: new Map() };
  readonly #open: Open[] = [{ place: this.#root, isList: false, step: 0 }];
  #at = 0;
  #line = 1;

  /** @param text - JSON that was parsed without an error */
  constructor(text: string) {
    this.#text = text;
    while (this.#at < text.length) this.#read(text.charAt(this.#at));
  }

  /** The line of a field, or of its nearest ancestor that exists. */
  lineOf(path: FieldPath): number {
    let place = this.#root.members.get(0) ?? this.#root;
    for (const step of path) {
      const member = place.members.get(step);
      if (!member) break;
      place = member;
    }
    return place.line;
  }

  #read(mark: string): void {
    const open = this.#open.at(-1);
    const start = this.#at++;
    if (mark === "\n") this.#line++;
    if (!open || /\s/.test(mark)) return;
    if (mark === "{" || mark === "[") {
      const isList = mark === "[";
      this.#open.push({ place: this.#add(open), isList, step: isList ? 0 : undefined });
    } else if (mark === "}" || mark === "]") {
      this.#open.pop();
    } else if (mark === ",") {
      open.step = typeof open.step === "number" && open.isList ? open.step + 1 : undefined;
    } else if (mark === '"') {
      this.#at = this.#endOfText();
      if (open.step === undefined) open.step = fieldNameOf(this.#text.slice(start, this.#at));
      else this.#add(open);
    } else if (mark !== ":") {
      ENDS_WORD.lastIndex = this.#at;
      this.#at = ENDS_WORD.exec(this.#text)?.index ?? this.#text.length;
      this.#add(open);
    }
  }

  /** The last of two fields with one name is the one that counts. */
  #add({ place, step }: Open): Place {
    const member: Place = { line: this.#line, members: new Map() };
    if (step !== undefined) place.members.set(step, member);
    return member;
  }

  #endOfText(): number {
    let at = this.#at;
    while (this.#text[at] !== '"') at += this.#text[at] === "\\" ? 2 : 1;
    return at + 1;
  }
}

const fieldNameOf = (quoted: string): string => String(JSON.parse(quoted));
