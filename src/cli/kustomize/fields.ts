/**
 * Readers of a kustomization's fields: each takes a value of its type, and refuses all others at
 * their line. A field that was ignored in silence would deploy something else than
 * `kubectl apply -k` does.
 */
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { ValuePath, YamlDocument } from "../project/yaml/yaml-documents.ts";

/** A value, and where it stands. */
interface FieldPlace {
  readonly value: unknown;
  readonly path: ValuePath;
  readonly document: YamlDocument;
}

/** Reads a value of one type. @throws TsopError `broken-kustomization` or `kustomize-field` */
export interface FieldReader<T> {
  read(place: FieldPlace): T;
}

/** A reader that knows the value of a field that is left out. */
interface FilledReader<T> extends FieldReader<T> {
  /** @param holder - the mapping that lacks the field @param field - its name */
  absent(holder: FieldPlace, field: string): T;
}

/** The type of the values of a reader. */
export type ReadBy<Reader> = Reader extends FieldReader<infer T> ? T : never;

type Readers = Readonly<Record<string, FieldReader<unknown>>>;

type FilledField<R extends Readers> = {
  [K in keyof R]: R[K] extends FilledReader<unknown> ? K : never;
}[keyof R];

/** A mapping with a field for each reader: it is there where the reader is filled. */
type MappingOf<R extends Readers> = {
  readonly [K in FilledField<R>]: ReadBy<R[K]>;
} & { readonly [K in Exclude<keyof R, FilledField<R>>]?: ReadBy<R[K]> };

/** A text; a number or a date without quotes is refused, as kubectl refuses it. */
export const text: FieldReader<string> = {
  read: (place) => (typeof place.value === "string" ? place.value : refuse(place, "a string")),
};

export const whole: FieldReader<number> = {
  read: (place) =>
    typeof place.value === "number" && Number.isInteger(place.value)
      ? place.value
      : refuse(place, "a whole number"),
};

/** A boolean: `true` or `false`. */
export const flag: FieldReader<boolean> = {
  read: (place) =>
    typeof place.value === "boolean" ? place.value : refuse(place, "true or false"),
};

/** A mapping of texts to texts; a value that is left out is empty, as for kubectl. */
export const textMap: FieldReader<Record<string, string>> = {
  read: (place) => {
    if (!isJsonObject(place.value)) return refuse(place, "a mapping of strings");
    return Object.fromEntries(
      Object.keys(place.value).map((key) => {
        const inner = within(place, key);
        return [key, inner.value === null ? "" : text.read(inner)];
      }),
    );
  },
};

/** A list of such values. */
export function listOf<T>(item: FieldReader<T>): FieldReader<readonly T[]> {
  return {
    read: (place) =>
      Array.isArray(place.value)
        ? place.value.map((_item, index) => item.read(within(place, index)))
        : refuse(place, "a list"),
  };
}

/** A mapping with these fields and no others; one that is null is not there. */
export function mapping<R extends Readers>(readers: R): FieldReader<MappingOf<R>> {
  const known = new Map<string, FieldReader<unknown>>(Object.entries(readers));
  return {
    read: (place) => {
      if (!isJsonObject(place.value)) return refuse(place, "a mapping");
      const unknown = Object.keys(place.value).find((field) => !known.has(field));
      if (unknown !== undefined) throw notRendered(within(place, unknown));
      const read: [string, unknown][] = [];
      for (const [field, reader] of known) {
        const inner = within(place, field);
        if (inner.value !== undefined && inner.value !== null) {
          read.push([field, reader.read(inner)]);
        } else if ("absent" in reader) {
          read.push([field, (reader as FilledReader<unknown>).absent(place, field)]);
        }
      }
      return Object.fromEntries(read) as MappingOf<R>;
    },
  };
}

/** A list of such values; one that is left out is empty. */
export function listOrNone<T>(item: FieldReader<T>): FilledReader<readonly T[]> {
  return { ...listOf(item), absent: () => [] };
}

/** The same values; one that is left out is an error. */
export function required<T>(reader: FieldReader<T>): FilledReader<T> {
  return {
    ...reader,
    absent: (holder, field) => {
      throw brokenField(holder, `${nameOf(holder)} has no \`${field}\``);
    },
  };
}

/** The same values, with a check of one's own that gives the reason to refuse. */
export function checked<T>(
  reader: FieldReader<T>,
  reasonAgainst: (value: T) => string | undefined,
): FieldReader<T> {
  return {
    read: (place) => {
      const value = reader.read(place);
      const reason = reasonAgainst(value);
      if (reason === undefined) return value;
      throw brokenField(place, `${nameOf(place)} ${reason}`);
    },
  };
}

/** A value of a kustomization that knows where it stands. */
export type Placed<T> = T & {
  /** The position for messages: `file:line:column`. */
  readonly at: string;
};

/** The same mappings, each with its place. */
export function placed<T extends object>(reader: FieldReader<T>): FieldReader<Placed<T>> {
  return {
    read: (place) => ({ ...reader.read(place), at: place.document.placeOf(place.path) }),
  };
}

/** An error at a place. */
function brokenField({ document, path }: FieldPlace, what: string): TsopError {
  return new TsopError(
    "broken-kustomization",
    `${document.placeOf(path)}: ${what}.`,
    "Repair it, or restore the file from version control.",
  );
}

function refuse(place: FieldPlace, expected: string): never {
  const { value } = place;
  const shown = typeof value === "object" ? kindOf(value) : JSON.stringify(value);
  throw brokenField(place, `${nameOf(place)} must be ${expected}, not ${shown}`);
}

function kindOf(value: unknown): string {
  if (value === null) return "empty (null)";
  return Array.isArray(value) ? "a list" : "a mapping";
}

function notRendered(place: FieldPlace): TsopError {
  return new TsopError(
    "kustomize-field",
    `${place.document.placeOf(place.path)}: tsop does not render the field ${nameOf(place)}.`,
    "Check its spelling; do without it, or render with `kubectl kustomize` and apply that.",
  );
}

function within({ value, path, document }: FieldPlace, step: string | number): FieldPlace {
  const inner = Object.hasOwn(value as object, step)
    ? (value as Record<string | number, unknown>)[step]
    : undefined;
  return { value: inner, path: [...path, step], document };
}

/** The name of the field in the user's words: `patches[0].target`. */
function nameOf({ path }: FieldPlace): string {
  if (path.length === 0) return "the file";
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
  return `\`${steps.join("").slice(1)}\``;
}
