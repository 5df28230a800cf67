/** Judges a batch of cases: one program for TypeScript, one run of the generator. */
import ts from "typescript";
import type { Diagnostic } from "../../../src/errors.ts";
import { formatFieldError, type FieldError } from "../../../src/kube/field-errors.ts";
import type { Schema } from "../../../src/kube/schema/structural.ts";
import { Random } from "../../support/random.ts";
import { type Case, type Files, filesOf, specOf } from "./case.ts";
import { confirm } from "./confirm.ts";
import type { Project } from "./project.ts";
import { fieldSchema, type Generated, generateKinds, SchemaJudge } from "./schema-side.ts";
import { neighborOf, valueOfSchema, valueOfType } from "./values.ts";
import type { Wrapper } from "./wrappers.ts";
import { type Question, type TypeField, TypeVerdicts } from "./verdict.ts";

/** How TypeScript and the schema disagree about a value. */
export type Kind =
  /** The type has it, the schema refuses it. */
  | "refused"
  /** The schema takes it, the type does not. */
  | "accepted"
  /** The schema takes it, a marker does not. */
  | "unmarked"
  /** The schema keeps a field that the type does not name. */
  | "extra"
  /** The schema drops a field that the type names. */
  | "lost"
  /** The same type written in another way has another schema. */
  | "rewritten"
  /** The generator threw an error. */
  | "crash"
  /** The two answers that the judge has from TypeScript differ: a mistake of the judge. */
  | "judge";

/** A disagreement. */
export interface Disagreement {
  readonly kind: Kind;
  readonly value: unknown;
  readonly detail: string;
}

/** What a case came to. */
export type Outcome =
  /** Of what does not compile nothing is to be learned. */
  | { readonly is: "not compiled"; readonly why: string }
  /** The generator said something: an error, or a warning. */
  | { readonly is: "announced"; readonly diagnostics: readonly Diagnostic[] }
  | {
      readonly is: "judged";
      readonly values: number;
      readonly disagreements: Disagreement[];
      readonly schema: Schema;
      /** Whether the schema was compared with that of the type written in another way. */
      rewritten: boolean;
    };

/** A case to judge. */
export interface Subject {
  readonly one: Case;
  /** Of the random values. */
  readonly seed: number;
  /** Values besides the random ones. */
  readonly values?: readonly unknown[];
  /** Another way to write the type, whose schema is compared. */
  readonly wrapper?: Wrapper | undefined;
  /** Changes the schema of the field `v` before it is judged; `undefined` for none to judge. */
  readonly alter?: (schema: Schema) => Schema | undefined;
}

/** The number of random values of a case. */
const VALUES = 20;

/** As TypeScript assigns. */
const LOOSE: Question = { extra: true, marks: false, json: false, spelled: false };
/** What TypeScript has to assign in any case. */
const SURE: Question = { ...LOOSE, extra: false };
/** What the schema may keep. */
const ASSIGNED: Question = { ...LOOSE, json: true };
const MARKED: Question = { ...ASSIGNED, marks: true };
const NAMED: Question = { ...ASSIGNED, extra: false };
/** What the schema has to take. */
const MEANT: Question = { extra: false, marks: true, json: true, spelled: true };

/** A case whose type TypeScript has resolved. */
interface Resolved {
  readonly subject: Subject;
  readonly number: number;
  readonly field: TypeField;
  readonly text: string;
}

/** Judges cases together. */
export function judge(project: Project, subjects: readonly Subject[]): Outcome[] {
  const rewritten = subjects.flatMap(({ one, wrapper }, of) =>
    wrapper ? [{ of, one: wrapper.wrap(one), wrapper }] : [],
  );
  const all = [...subjects, ...rewritten];
  const files = all.map(({ one }, number) => pathsOf(project, filesOf(one, number)));
  const program = project.programOf(new Map(files.flatMap((own) => [...own])));
  const types = new TypeVerdicts(program);
  const resolved = files.map((own, number): TypeField | string => {
    const [path = ""] = own.keys();
    return mistakeIn(program, [...own.keys()]) ?? fieldOf(program, types, path, number);
  });
  const compiled = [...files.entries()].filter(([index]) => typeof resolved[index] === "object");
  const generated = generateAll(project.root, new Map(compiled));
  const answers: Judged[] = [];
  const outcomes = subjects.map((subject, number): Outcome => {
    const field = resolved[number] ?? "";
    if (typeof field === "string") return { is: "not compiled", why: field };
    const made = generated.get(number);
    if (made instanceof Error) return crashed(made);
    if (!made?.schema || made.diagnostics.length > 0) {
      return { is: "announced", diagnostics: made?.diagnostics ?? [] };
    }
    const text = [...(files[number]?.values() ?? [])].join("\n");
    const altered = subject.alter ? withField(made.schema, subject.alter) : made.schema;
    if (!altered) return { is: "announced", diagnostics: [] };
    const found = compare(types, { subject, number, field, text }, altered);
    answers.push(found);
    const { values, disagreements } = found;
    return {
      is: "judged",
      values: values.length,
      disagreements,
      schema: made.schema,
      rewritten: false,
    };
  });
  for (const [index, { of, wrapper }] of rewritten.entries()) {
    const number = subjects.length + index;
    const before = outcomes[of];
    const made = generated.get(number);
    if (made instanceof Error) {
      if (before?.is === "judged") before.disagreements.push(...crashed(made).disagreements);
      continue;
    }
    const [field, other] = [resolved[of], resolved[number]];
    if (before?.is !== "judged" || !made?.schema || made.diagnostics.length > 0) continue;
    if (typeof field !== "object" || typeof other !== "object") continue;
    if (!isSame(types, wrapper, field, other)) continue;
    before.rewritten = true;
    const texts = [before.schema, made.schema].map((schema) => comparable(fieldSchema(schema)));
    if (texts[0] === texts[1]) continue;
    const detail = `${wrapper.title} makes\n  ${texts[1] ?? ""}\ninstead of\n  ${texts[0] ?? ""}`;
    before.disagreements.push({ kind: "rewritten", value: null, detail });
  }
  return withMistakes(project, program, outcomes, answers);
}

/** What was generated for each case; the error for a case with which the generator breaks. */
function generateAll(
  root: string,
  cases: ReadonlyMap<number, ReadonlyMap<string, string>>,
): ReadonlyMap<number, Generated | Error> {
  try {
    return generateKinds(root, cases);
  } catch (error) {
    const broken = error instanceof Error ? error : new Error(String(error));
    if (cases.size === 1) return new Map([...cases.keys()].map((number) => [number, broken]));
    const all = [...cases];
    const half = Math.ceil(all.length / 2);
    return new Map(
      [all.slice(0, half), all.slice(half)].flatMap((some) => [
        ...generateAll(root, new Map(some)),
      ]),
    );
  }
}

function crashed(error: Error): Outcome & { is: "judged" } {
  const detail = error.stack ?? error.message;
  return {
    is: "judged",
    values: 0,
    disagreements: [{ kind: "crash", value: null, detail }],
    schema: {},
    rewritten: false,
  };
}

/** Whether the type that was written in another way is the same to TypeScript. */
function isSame(
  types: TypeVerdicts,
  { objects, fields }: Wrapper,
  { type }: TypeField,
  other: TypeField,
): boolean {
  if (!types.areEqual(type, other.type)) return false;
  if (objects && !types.isObject(type)) return false;
  return (
    fields === undefined ||
    types.fieldsOf(type).every(({ optional }) => optional === (fields === "all optional"))
  );
}

/** The text of a schema that does not depend on the order of its parts. */
function comparable(schema: Schema | undefined): string {
  return JSON.stringify(schema, (key, value: unknown) => {
    if ((key === "rule" || key === "message") && typeof value === "string") {
      return Array.from(value).sort().join("");
    }
    if (key === "enum" && Array.isArray(value)) return value.map(String).sort();
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    if (key === "properties" && Object.keys(value).length === 0) return undefined;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** The schema of an object whose field `v` has another one. */
function withField(
  schema: Schema,
  alter: (schema: Schema) => Schema | undefined,
): Schema | undefined {
  const copy = structuredClone(schema);
  const properties = copy.properties?.["spec"]?.properties;
  const field = properties?.["v"] && alter(properties["v"]);
  if (!properties || !field) return undefined;
  properties["v"] = field;
  return copy;
}

function pathsOf(project: Project, files: Files): Map<string, string> {
  return new Map([...files].map(([name, text]) => [project.pathOf(name), text]));
}

function mistakeIn(program: ts.Program, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const file = program.getSourceFile(path);
    const [first] = [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ];
    if (first) return `TS${first.code} ${ts.flattenDiagnosticMessageText(first.messageText, " ")}`;
  }
  return undefined;
}

function fieldOf(
  program: ts.Program,
  types: TypeVerdicts,
  path: string,
  number: number,
): TypeField {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const symbol = file && checker.getSymbolAtLocation(file);
  const spec = symbol?.exports?.get(ts.escapeLeadingUnderscores(specOf(number)));
  const [field] = spec ? types.fieldsOf(checker.getDeclaredTypeOfSymbol(spec)) : [];
  if (!field) throw new Error(`${path} has no spec`);
  return field;
}

/** The values of a case, with TypeScript's answer to each. */
export interface Judged {
  readonly number: number;
  readonly values: readonly {
    readonly value: unknown;
    readonly loose: boolean;
    readonly sure: boolean;
  }[];
  readonly disagreements: Disagreement[];
  readonly text: string;
}

function compare(types: TypeVerdicts, one: Resolved, schema: Schema): Judged {
  const { field, subject, number, text } = one;
  const random = new Random(subject.seed);
  const schemas = new SchemaJudge(schema);
  const values = [...(subject.values ?? []), ...randomValues(types, field, schemas, random)];
  const disagreements: Disagreement[] = [];
  const fits = (value: unknown, question: Question): boolean =>
    value === undefined ? field.optional || field.omitted : types.fitsField(field, value, question);
  const answers = values.map((value) => {
    const { errors, kept } = schemas.judge(value);
    if (schemas.isSkipped(value)) return { value, loose: true, sure: false };
    const add = (kind: Kind, detail: string): void => {
      disagreements.push({ kind, value, detail });
    };
    if (errors.length > 0) {
      const scalarOf = (path: string): string | undefined => types.scalarAt(field, path);
      if (fits(value, MEANT) && !errors.every((error) => isExplained(error, text, scalarOf))) {
        add("refused", errors.map(formatFieldError).join("; "));
      }
    } else if (!fits(kept, ASSIGNED)) add("accepted", `kept as ${JSON.stringify(kept)}`);
    else if (!hasAll(kept, value) && fits(value, MEANT)) {
      add("lost", `kept as ${JSON.stringify(kept)}`);
    } else if (!fits(kept, MARKED)) add("unmarked", `kept as ${JSON.stringify(kept)}`);
    else if (!fits(kept, NAMED) && !/PreserveUnknownFields/.test(text))
      add("extra", `kept as ${JSON.stringify(kept)}`);
    return { value, loose: fits(value, LOOSE), sure: fits(value, SURE) };
  });
  return { number, values: answers, disagreements, text };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Whether all fields of a value are left, but for those that are null. */
function hasAll(kept: unknown, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) {
    return value.every((item, index) =>
      hasAll(Array.isArray(kept) ? kept[index] : undefined, item),
    );
  }
  return Object.entries(value).every(
    ([name, field]) =>
      field === null || (isObject(kept) && Object.hasOwn(kept, name) && hasAll(kept[name], field)),
  );
}

function randomValues(
  types: TypeVerdicts,
  { type }: TypeField,
  schemas: SchemaJudge,
  random: Random,
): unknown[] {
  const { field = {} } = schemas;
  const values: unknown[] = [];
  while (values.length < VALUES) {
    const value =
      values.length % 4 === 0 ? valueOfType(types, type, random) : valueOfSchema(field, random);
    const neighbor = neighborOf(value, random);
    values.push(value, random.chance(0.3) ? neighborOf(neighbor, random) : neighbor);
  }
  return values;
}

const WHOLE = /\b(?:Int(?:32|64|OrString)?|Quantity)\b/;
const HAS_MARKER = /@(?:M|m|E|e|P|p|A)\w+/;
/** The error of a marker. */
const OF_MARKER =
  /Too long|Too many|at least|at most|greater than|less than|multiple of|should match|exactly one|should have/;
/** What brings the markers of a field or of a class along: a type that is taken from a field, a class below. */
const BRINGS_MARKERS = /\["|\[keyof|\bextends\b|^@/m;

/** Whether a scalar in the case explains the error, of whose ranges TypeScript knows nothing, or a marker. */
function isExplained(
  { message, field }: FieldError,
  text: string,
  scalarOf: (path: string) => string | undefined,
): boolean {
  if (/of type int(?:eger|32|64)\b|must validate at least one schema \(anyOf\)/.test(message)) {
    return WHOLE.test(scalarOf(field) ?? text);
  }
  if (/must be of type date-time/.test(message)) return /\b(?:Micro)?Time\b/.test(text);
  if (/must be of type byte/.test(message)) return /\bBase64\b/.test(text);
  if (/should match '\^\(\\\+\|-\)\?/.test(message)) return /\bQuantity\b/.test(text);
  return OF_MARKER.test(message) && HAS_MARKER.test(text) && BRINGS_MARKERS.test(text);
}

/** The outcomes, with the mistakes of the judge: where the checker itself answers otherwise. */
function withMistakes(
  project: Project,
  program: ts.Program,
  outcomes: readonly Outcome[],
  judged: readonly Judged[],
): Outcome[] {
  const mistakes = confirm(project, program, judged);
  return outcomes.map((outcome, number) => {
    const own = mistakes.get(number);
    if (!own || outcome.is !== "judged") return outcome;
    return { ...outcome, disagreements: [...outcome.disagreements, ...own] };
  });
}
