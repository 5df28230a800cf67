/**
 * Reads the fields of a file from an unknown author: each with its type checked, all mistakes
 * together.
 *
 * A field that is absent or null has no value, as in Go. Mistakes name the type that was found,
 * never the value: it may be a password.
 */
import { getField } from "../../kube/json.ts";

/** The path of a field: the names and indexes that lead to it. */
export type FieldPath = readonly (string | number)[];

/** An unusable field, and the reason: `must be true or false, not text`. */
export interface Mistake {
  readonly path: FieldPath;
  readonly message: string;
}

/** `users[0].user.exec.command` */
export function formatPath(path: FieldPath): string {
  return path
    .map((step) => {
      if (typeof step === "number") return `[${step}]`;
      return /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join("")
    .replace(/^\./, "");
}

export class Field {
  readonly path: FieldPath;
  readonly #value: unknown;
  readonly #mistakes: Mistake[];
  #told = false;

  constructor(value: unknown, path: FieldPath, mistakes: Mistake[]) {
    this.#value = value ?? undefined;
    this.path = path;
    this.#mistakes = mistakes;
  }

  get present(): boolean {
    return this.#value !== undefined;
  }

  /** The field of that name of this mapping. */
  get(name: string): Field {
    const mapping = this.#mapping();
    const value = mapping && getField(mapping, name);
    return new Field(value, [...this.path, name], this.#mistakes);
  }

  /** The fields of this mapping, with their names. */
  entries(): [name: string, field: Field][] {
    return Object.entries(this.#mapping() ?? {}).map(([name, value]) => [
      name,
      new Field(value, [...this.path, name], this.#mistakes),
    ]);
  }

  /** The items of this list; none is null. */
  items(): Field[] {
    if (this.#value === undefined) return [];
    if (!Array.isArray(this.#value)) {
      this.#expected("a list");
      return [];
    }
    return this.#value.map((value: unknown, index) => {
      const item = new Field(value, [...this.path, index], this.#mistakes);
      if (!item.present) item.reject("must not be null");
      return item;
    });
  }

  text(): string | undefined {
    if (this.#value === undefined || typeof this.#value === "string") return this.#value;
    this.#expected("text (put it in quotes)");
    return undefined;
  }

  /** Text; `undefined` also when it is empty. */
  filledText(): string | undefined {
    return this.text() || undefined;
  }

  truth(): boolean {
    if (this.#value === undefined) return false;
    if (typeof this.#value === "boolean") return this.#value;
    this.#expected("true or false (without quotes)");
    return false;
  }

  texts(): readonly string[] {
    return this.items().flatMap((item) => item.text() ?? []);
  }

  /** The bytes of a base64 text, as strictly as Go reads it; `undefined` when it is empty. */
  bytes(): Buffer | undefined {
    const text = this.filledText()?.replace(/[\r\n]/g, "");
    if (!text) return undefined;
    if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
      return Buffer.from(text, "base64");
    }
    this.reject("must be base64, but has other characters or the wrong length");
    return undefined;
  }

  raw(): unknown {
    return this.#value;
  }

  reject(message: string): void {
    if (this.#told) return;
    this.#told = true;
    this.#mistakes.push({ path: this.path, message });
  }

  #mapping(): Record<string, unknown> | undefined {
    const value = this.#value;
    if (value === undefined) return undefined;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
    this.#expected("a mapping");
    return undefined;
  }

  #expected(type: string): void {
    this.reject(`must be ${type}, not ${typeName(this.#value)}`);
  }
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "text";
    case "number":
    case "bigint":
      return "a number";
    case "boolean":
      return String(value);
    default:
      return "a mapping";
  }
}
