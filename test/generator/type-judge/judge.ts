/** Judges a batch of cases: one program for TypeScript, one run of the generator. */
import ts from "typescript";
import type { Diagnostic } from "../../../src/errors.ts";
import { formatFieldError, type FieldError } from "../../../src/kube/field-errors.ts";
import type { Schema } from "../../../src/kube/schema/structural.ts";
import { Random } from "../../support/random.ts";
import { type Case, type Files, filesOf, kindOf, specOf } from "./case.ts";
import { confirm } from "./confirm.ts";
import type { Project } from "./project.ts";
import { generateKinds, SchemaJudge } from "./schema-side.ts";
import { neighborOf, valueOfSchema, valueOfType } from "./values.ts";
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
      readonly disagreements: readonly Disagreement[];
      readonly schema: Schema;
    };

/** A case to judge. */
export interface Subject {
  readonly one: Case;
  /** Of the random values. */
  readonly seed: number;
  /** Values besides the random ones. */
  readonly values?: readonly unknown[];
}

/** The most that a batch has. */
export const VALUES = 20;

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
}

/** Judges cases together. */
export function judge(project: Project, subjects: readonly Subject[]): Outcome[] {
  const files = subjects.map(({ one }, number) => pathsOf(project, filesOf(one, number)));
  const program = project.programOf(new Map(files.flatMap((own) => [...own])));
  const types = new TypeVerdicts(program);
  const outcomes = subjects.map((subject, number): Outcome | Resolved => {
    const own = files[number] ?? new Map<string, string>();
    const why = mistakeIn(program, [...own.keys()]);
    if (why !== undefined) return { is: "not compiled", why };
    const field = fieldOf(program, types, [...own.keys()][0] ?? "", number);
    return { subject, number, field };
  });
  const resolved = outcomes.filter((one): one is Resolved => !("is" in one));
  const compiled = new Map(resolved.flatMap(({ number }) => [...(files[number] ?? [])]));
  const generated = generateKinds(project.root, compiled);
  const answers: Judged[] = [];
  const result = outcomes.map((one): Outcome => {
    if ("is" in one) return one;
    const own = (file: string): boolean =>
      new RegExp(`^src/case${one.number}(?:-\\d)?\\.ts$`).test(file);
    const diagnostics = generated.diagnostics.filter(({ file }) => file !== undefined && own(file));
    const schema = generated.schemaOf(kindOf(one.number));
    if (diagnostics.length > 0 || !schema) return { is: "announced", diagnostics };
    const text = [...(files[one.number]?.values() ?? [])].join("\n");
    const found = compare(types, one, schema, text);
    answers.push(found);
    return {
      is: "judged",
      values: found.values.length,
      disagreements: found.disagreements,
      schema,
    };
  });
  return withMistakes(project, program, result, answers);
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

function compare(types: TypeVerdicts, one: Resolved, schema: Schema, text: string): Judged {
  const { field, subject, number } = one;
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
      if (fits(value, MEANT) && !errors.every((error) => isExplained(error, text))) {
        add("refused", errors.map(formatFieldError).join("; "));
      }
    } else if (!fits(kept, ASSIGNED)) add("accepted", `kept as ${JSON.stringify(kept)}`);
    else if (!fits(kept, MARKED)) add("unmarked", `kept as ${JSON.stringify(kept)}`);
    else if (!fits(kept, NAMED)) add("extra", `kept as ${JSON.stringify(kept)}`);
    return { value, loose: fits(value, LOOSE), sure: fits(value, SURE) };
  });
  return { number, values: answers, disagreements, text };
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
      values.length % 2 === 0 ? valueOfType(types, type, random) : valueOfSchema(field, random);
    const neighbor = neighborOf(value, random);
    values.push(value, random.chance(0.3) ? neighborOf(neighbor, random) : neighbor);
  }
  return values;
}

const WHOLE = /\b(?:Int(?:32|64|OrString)?|Quantity)\b/;

const HAS_MARKER = /@(?:M|m|E|e|P|p)\w+/;

/** The error of a marker. */
const OF_MARKER =
  /Too long|Too many|at least \d|at most \d|greater than|less than|multiple of|should match/;
/** A field's type that is taken from it brings its markers along. */
const TAKES_FIELD = /\["|\[keyof/;

/** Whether a scalar in the case explains the error, of whose ranges TypeScript knows nothing, or a marker. */
function isExplained({ message }: FieldError, text: string): boolean {
  if (/of type int(?:eger|32|64)\b/.test(message)) return WHOLE.test(text);
  if (/must validate at least one schema \(anyOf\)/.test(message)) return WHOLE.test(text);
  if (/must be of type date-time/.test(message)) return /\b(?:Micro)?Time\b/.test(text);
  if (/must be of type byte/.test(message)) return /\bBase64\b/.test(text);
  if (/should match '\^\(\\\+\|-\)\?/.test(message)) return /\bQuantity\b/.test(text);
  return OF_MARKER.test(message) && HAS_MARKER.test(text) && TAKES_FIELD.test(text);
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
