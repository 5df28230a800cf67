/** `--field name:type[?][=default]`: a field of the spec, written on the command line. */
import { UsageError } from "../../../errors.ts";
import { didYouMean } from "../../../kube/text/nearest-name.ts";

/** A field of a spec as the scaffold writes it. */
export interface SpecField {
  readonly name: string;
  /** The type in TypeScript, such as `Int32` or `"a" | "b"`. */
  readonly type: string;
  readonly optional: boolean;
  /** The default as a TypeScript literal. */
  readonly initializer?: string;
  /** The names that the type needs from `tsop`. */
  readonly imports: readonly string[];
  /** A value for the sample, as JSON. */
  readonly sample: unknown;
  /** A sentence made of the name. */
  readonly description: string;
}

interface FieldType {
  readonly type: string;
  readonly imports?: readonly string[];
  readonly sample: unknown;
  /** The default as JSON; throws a sentence's end when the text is none. */
  readonly parse?: (text: string) => unknown;
}

const INT32_MAX = 2 ** 31 - 1;

const SCALARS: Readonly<Record<string, FieldType>> = {
  string: { type: "string", sample: "example", parse: (text) => text },
  int: { type: "Int32", imports: ["Int32"], sample: 1, parse: wholeNumber(INT32_MAX) },
  long: {
    type: "Int64",
    imports: ["Int64"],
    sample: 1,
    parse: wholeNumber(Number.MAX_SAFE_INTEGER),
  },
  number: { type: "Double", imports: ["Double"], sample: 1.5, parse: anyNumber },
  bool: { type: "boolean", sample: true, parse: trueOrFalse },
  quantity: {
    type: "Quantity",
    imports: ["Quantity"],
    sample: "1Gi",
    parse: matching(
      /^[+-]?[0-9.]+([eE][+-]?[0-9]+|[KMGTPE]i|[numkMGTPE])?$/,
      "a quantity like 1Gi",
    ),
  },
  duration: {
    type: "Duration",
    imports: ["Duration"],
    sample: "30s",
    parse: matching(/^([0-9.]+(ns|us|ms|s|m|h))+$/, "a duration like 1h30m"),
  },
  time: {
    type: "Time",
    imports: ["Time"],
    sample: "2026-01-01T00:00:00Z",
    parse: matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/, "a time like 2026-01-01T00:00:00Z"),
  },
  intOrString: {
    type: "IntOrString",
    imports: ["IntOrString"],
    sample: "25%",
    parse: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  },
  map: { type: "Record<string, string>", sample: { key: "value" } },
};

/**
 * The types of `--field`, for help texts and errors. The name in TypeScript does as well, in any
 * case.
 */
export const FIELD_TYPES = `${Object.keys(SCALARS).join(", ")}, enum(a|b|c), and lists of them such as string[]`;

/**
 * Reads one `--field`.
 *
 * @throws UsageError `bad-field`, which names the field and lists what is possible
 */
export function parseField(text: string): SpecField {
  const match = /^([^:]+):([^?=]+)(\?)?(?:=(.*))?$/s.exec(text);
  if (!match) throw bad(text, "is not of the form name:type[?][=default]");
  const [, name = "", typeName = "", question, defaultText] = match;
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) {
    throw bad(text, `the name \`${name}\` must be in camelCase, with only letters and digits`);
  }
  if (name === "constructor") throw bad(text, "a class has its constructor under this name");
  const type = typeOf(text, typeName);
  const base = {
    name,
    type: type.type,
    imports: type.imports ?? [],
    sample: type.sample,
    description: sentenceOf(name),
  };
  if (defaultText === undefined) return { ...base, optional: question !== undefined };
  if (!type.parse) throw bad(text, `a ${typeName} cannot have a default on the command line`);
  let value: unknown;
  try {
    value = type.parse(defaultText);
  } catch (error) {
    throw bad(text, `the default \`${defaultText}\` ${(error as Error).message}`);
  }
  return { ...base, optional: true, initializer: JSON.stringify(value), sample: value };
}

/**
 * Reads every `--field`.
 *
 * @throws UsageError `bad-field` that tells of each that cannot be read, and of names that come twice
 */
export function parseFields(texts: readonly string[]): SpecField[] {
  const fields = new Map<string, SpecField>();
  const problems: UsageError[] = [];
  for (const text of texts) {
    try {
      const field = parseField(text);
      if (fields.has(field.name)) throw bad(text, `the field \`${field.name}\` is there twice`);
      fields.set(field.name, field);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error);
    }
  }
  const [first] = problems;
  if (!first) return [...fields.values()];
  throw new UsageError(
    first.code,
    problems.map(({ message }) => message).join("\n"),
    [...new Set(problems.map(({ fix }) => fix))].join("\n"),
  );
}

function typeOf(text: string, typeName: string): FieldType {
  if (typeName.endsWith("[]")) {
    const item = typeOf(text, typeName.slice(0, -2));
    const type = item.type.includes("|") ? `(${item.type})[]` : `${item.type}[]`;
    return { type, imports: item.imports ?? [], sample: [item.sample] };
  }
  const choices = /^enum\((.*)\)$/.exec(typeName)?.[1]?.split("|");
  if (choices) {
    if (choices.some((choice) => choice === "")) throw bad(text, "an enum lists its values");
    const twice = choices.find((choice, index) => choices.indexOf(choice) < index);
    if (twice !== undefined) throw bad(text, `the enum has ${twice} twice`);
    return {
      type: choices.map((choice) => JSON.stringify(choice)).join(" | "),
      sample: choices[0],
      parse: (value) => {
        if (choices.includes(value)) return value;
        throw new Error(`is not one of ${choices.join(", ")}`);
      },
    };
  }
  const wanted = typeName.toLowerCase();
  const scalar = Object.entries(SCALARS).find(([name, { type }]) =>
    [name.toLowerCase(), type.toLowerCase()].includes(wanted),
  );
  if (scalar) return scalar[1];
  throw bad(text, `there is no type \`${typeName}\``, typeName);
}

/** The description of a field: `nodePortNumber` becomes "The node port number." */
function sentenceOf(name: string): string {
  const words = name.replace(/[A-Z]+(?![a-z])|[A-Z]/g, (letters) => ` ${letters.toLowerCase()}`);
  return `The ${words.trim()}.`;
}

function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && Math.abs(value) <= max) return value;
    throw new Error(`is not a whole number up to ${max}`);
  };
}

function anyNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new Error("is not a number");
}

function trueOrFalse(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new Error("is neither true nor false");
}

function matching(pattern: RegExp, what: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new Error(`is not ${what}`);
  };
}

function bad(text: string, problem: string, typeName = ""): UsageError {
  return new UsageError(
    "bad-field",
    `--field ${JSON.stringify(text)}: ${problem}.`,
    didYouMean(
      typeName,
      Object.keys(SCALARS),
      `For example: --field image:string=nginx --field replicas:int?. Types: ${FIELD_TYPES}.`,
    ),
  );
}
