/**
 * Parses JSON with many objects in it.
 *
 * What is parsed is put together as bytes before it becomes a text: V8 would copy a text that consists of others once
 * more, and each copy of a long list makes it collect garbage earlier.
 *
 * @module
 */
import { isAscii } from "node:buffer";
import { parseExactBytes } from "./exact-json.ts";
import { copyWithoutManagedFields, dropMark } from "./managed-fields.ts";

// Twice what a watch's pieces have.
const SCRATCH_BYTES = 128 * 1024;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const NEWLINE = 0x0a;

/** UTF-8 as text. */
export function textOf(bytes: Buffer): string {
  // Node 20 takes four times as long when it has to look at each byte itself.
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
}

/** What some bytes are: one value, values with commas between them, or a value on each line. */
type Form = "value" | "elements" | "lines";

/** What is parsed, as JSON of one value. */
interface Prepared {
  /** Good until the next ones are prepared. */
  readonly json: Buffer;
  /** How many managedFields were left out, as it seems. */
  readonly cuts: number;
  /** How many elements there have to be, where that is known. */
  readonly count?: number;
}

/** Reads the parts of one answer. */
export class ObjectReader {
  #cuts: boolean;

  /** @param withoutManagedFields - leaves them out where that saves time; some may come all the same */
  constructor(withoutManagedFields: boolean) {
    this.#cuts = withoutManagedFields;
  }

  /** The values in `bytes`, which stand there with commas between them. @throws SyntaxError */
  elements(bytes: Buffer): unknown[] {
    return this.#read(bytes, "elements", (values) => values as unknown[]) as unknown[];
  }

  /** The value of each line in `bytes`. @throws SyntaxError, also for an empty line */
  lines(bytes: Buffer, objectOf: (value: unknown) => unknown): unknown[] {
    const objectsIn = (values: unknown): unknown[] => (values as unknown[]).map(objectOf);
    return this.#read(bytes, "lines", objectsIn) as unknown[];
  }

  /** The value that `bytes` are. @throws SyntaxError */
  value(bytes: Buffer, objectsIn: (value: unknown) => readonly unknown[]): unknown {
    return this.#read(bytes, "value", objectsIn);
  }

  #read(bytes: Buffer, form: Form, objectsIn: (value: unknown) => readonly unknown[]): unknown {
    if (this.#cuts) {
      const prepared = prepare(bytes, form, true);
      const { cuts } = prepared;
      const value = cuts > 0 ? parsedOrNone(prepared) : undefined;
      if (value !== undefined && cuts === objectsIn(value).filter(dropMark).length) return value;
      if (cuts === 0) return parsed(prepared);
      // What was cut was something else, as it is in objects with objects in them; so it will be in the next ones.
      this.#cuts = false;
    }
    return parsed(prepare(bytes, form, false));
  }
}

let scratch: Buffer | undefined;

function prepare(bytes: Buffer, form: Form, withoutManagedFields: boolean): Prepared {
  if (form === "value" && !withoutManagedFields) return { json: bytes, cuts: 0 };
  const room = bytes.length + 2;
  scratch ??= Buffer.alloc(SCRATCH_BYTES);
  const memory = room <= SCRATCH_BYTES ? scratch : Buffer.alloc(room);
  const { end, cuts } = withoutManagedFields
    ? copyWithoutManagedFields(bytes, memory, 1)
    : { end: 1 + bytes.copy(memory, 1), cuts: 0 };
  if (form === "value") return { json: memory.subarray(1, end), cuts };
  memory[0] = OPEN_BRACKET;
  memory[end] = CLOSE_BRACKET;
  const json = memory.subarray(0, end + 1);
  return form === "lines" ? { json, cuts, count: 1 + joinLines(json) } : { json, cuts };
}

/** Puts a comma in the place of each line break; returns how many there were. */
function joinLines(json: Buffer): number {
  let count = 0;
  for (let at = json.indexOf(NEWLINE); at >= 0; at = json.indexOf(NEWLINE, at + 1)) {
    json[at] = COMMA;
    count++;
  }
  return count;
}

/** @throws SyntaxError */
function parsed({ json, count }: Prepared): unknown {
  const value = parseExactBytes(json, textOf(json));
  if (count === undefined || (value as unknown[]).length === count) return value;
  throw new SyntaxError(`${count} lines are not one value each`);
}

/** Whatever is wrong with it is found out again when nothing is cut. */
function parsedOrNone(prepared: Prepared): unknown {
  try {
    return parsed(prepared);
  } catch {
    return undefined;
  }
}
