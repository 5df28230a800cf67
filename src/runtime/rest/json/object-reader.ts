/**
 * Parses JSON with many objects in it.
 *
 * Parts are joined as bytes before they become a string: V8 would copy a string that is joined from
 * others once more, and each copy of a long list makes it collect garbage earlier.
 */
import { isAscii } from "node:buffer";
import { borrowMemory, giveBack } from "../../transport/scratch.ts";
import { parseExactBytes } from "./exact-json.ts";
import {
  copyWithoutManagedFields,
  type Cut,
  type Copied,
  dropMark,
  managedFieldsOf,
  type ManagedFieldsListener,
} from "./managed-fields.ts";
import type { KubeObject } from "../../../kube/object.ts";

const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const NEWLINE = 0x0a;

export function utf8TextOf(bytes: Buffer): string {
  // Node 20 takes four times as long to check each byte itself.
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
}

/** The form of some bytes: one value, values with commas between them, or a value on each line. */
type Form = "value" | "elements" | "lines";

export class ObjectReader {
  #cuts: boolean;
  readonly #listener: ManagedFieldsListener | undefined;

  /**
   * @param withoutManagedFields - leaves them out where that saves time; some may still be there
   * @param listener - called for each object that has managedFields, before it is returned
   */
  constructor(withoutManagedFields: boolean, listener?: ManagedFieldsListener) {
    this.#cuts = withoutManagedFields;
    this.#listener = listener;
  }

  /** The comma-separated values in `bytes`. @throws SyntaxError */
  elements(bytes: Buffer): unknown[] {
    return this.#read(bytes, "elements", (values) => values as unknown[]) as unknown[];
  }

  /** The value of each line in `bytes`. @throws SyntaxError, also for an empty line */
  lines(bytes: Buffer, objectOf: (value: unknown) => unknown): unknown[] {
    const objectsIn = (values: unknown): unknown[] => (values as unknown[]).map(objectOf);
    return this.#read(bytes, "lines", objectsIn) as unknown[];
  }

  /** The value in `bytes`. @throws SyntaxError */
  value(bytes: Buffer, objectsIn: (value: unknown) => readonly unknown[]): unknown {
    return this.#read(bytes, "value", objectsIn);
  }

  #read(bytes: Buffer, form: Form, objectsIn: (value: unknown) => readonly unknown[]): unknown {
    if (this.#cuts) {
      const { value, cuts } = readOnce(bytes, form, copyWithoutManagedFields);
      if (cuts.length === 0) {
        this.#notifyOfFields(value, objectsIn);
        return value;
      }
      const marked = value === undefined ? [] : objectsIn(value).filter(dropMark);
      if (cuts.length === marked.length) {
        this.#notifyOfCuts(marked, bytes, cuts);
        return value;
      }
      // The cut text was something else, as in objects that contain objects; so it will be in the
      // next ones.
      this.#cuts = false;
    }
    const value = form === "value" ? parsed(bytes) : readOnce(bytes, form, copyWhole).value;
    this.#notifyOfFields(value, objectsIn);
    return value;
  }

  /** Each of the objects has one of the cuts, in the same order. */
  #notifyOfCuts(objects: readonly KubeObject[], bytes: Buffer, cuts: readonly Cut[]): void {
    if (!this.#listener) return;
    for (const [index, object] of objects.entries()) {
      this.#listener(object, () => parsedCut(bytes, cuts[index]));
    }
  }

  #notifyOfFields(value: unknown, objectsIn: (value: unknown) => readonly unknown[]): void {
    if (!this.#listener) return;
    for (const object of objectsIn(value)) {
      const managedFields = managedFieldsOf(object);
      if (managedFields !== undefined) this.#listener(object as KubeObject, () => managedFields);
    }
  }
}

/** The cut value; `undefined` where its end was guessed wrongly. */
function parsedCut(bytes: Buffer, cut: Cut | undefined): unknown {
  try {
    return cut && JSON.parse(utf8TextOf(bytes.subarray(cut.start, cut.end)));
  } catch {
    return undefined;
  }
}

function copyWhole(json: Buffer, copy: Buffer, start: number): Copied {
  return { end: start + json.copy(copy, start), cuts: [] };
}

/**
 * The value, and the managedFields that were apparently left out of it; none where it then cannot
 * be parsed.
 *
 * @throws SyntaxError where nothing was left out
 */
function readOnce(
  bytes: Buffer,
  form: Form,
  copyJson: typeof copyWhole,
): { readonly value: unknown; readonly cuts: readonly Cut[] } {
  const memory = borrowMemory(bytes.length + 2);
  try {
    const { end, cuts } = copyJson(bytes, memory, 1);
    memory[0] = OPEN_BRACKET;
    memory[end] = CLOSE_BRACKET;
    const json = form === "value" ? memory.subarray(1, end) : memory.subarray(0, end + 1);
    const count = form === "lines" ? 1 + joinLines(json) : undefined;
    return { cuts, value: cuts.length > 0 ? parsedOrNone(json, count) : parsed(json, count) };
  } finally {
    giveBack(memory);
  }
}

/** Replaces each line break by a comma; returns how many there were. */
function joinLines(json: Buffer): number {
  let count = 0;
  for (let at = json.indexOf(NEWLINE); at >= 0; at = json.indexOf(NEWLINE, at + 1)) {
    json[at] = COMMA;
    count++;
  }
  return count;
}

/** @throws SyntaxError, also when the array does not have `count` values */
function parsed(json: Buffer, count?: number): unknown {
  const value = parseExactBytes(json, utf8TextOf(json));
  if (count === undefined || (value as unknown[]).length === count) return value;
  throw new SyntaxError(`not all of the ${count} lines hold exactly one value`);
}

/** The error, if any, is found again when nothing is left out. */
function parsedOrNone(json: Buffer, count: number | undefined): unknown {
  try {
    return parsed(json, count);
  } catch {
    return undefined;
  }
}
