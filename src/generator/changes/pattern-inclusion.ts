/**
 * Texts that one regular expression finds and another one does not. The compiled programs of both are
 * run side by side on all texts, shortest first; texts that leave both in the same state are tried once.
 */
import { compilePattern } from "../../kube/cel/patterns.ts";
import { CelError } from "../../kube/cel/values.ts";

/** The number of states after which the search gives up. */
const STATES_MAX = 4000;

/** The instructions of a compiled program, numbered as in package regexp/syntax of Go. */
const Op = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  emptyWidth: 4,
  fail: 5,
  match: 6,
  nop: 7,
  rune: 8,
  rune1: 9,
  any: 10,
  anyButNewline: 11,
} as const;

interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: Iterable<number>;
  matchRune(rune: number): boolean;
}

interface Program {
  readonly inst: readonly Instruction[];
  readonly start: number;
}

/** A program after a part of a text: where its threads are, and whether it has found a match. */
interface State {
  readonly threads: readonly number[];
  readonly found: boolean;
}

const START: State = { threads: [], found: false };
const FOUND: State = { threads: [], found: true };
/** Stands for the character before the first and after the last one. */
const NONE = -1;
const NEWLINE = 10;

/** The result of a search: a text, `none` where there is no such text, `unknown` where it gave up. */
export type TextSearch = { readonly text: string } | "none" | "unknown";

/** Searches for the shortest text in which `before` is found and `after` is not. */
export function textOnlyIn(before: string, after: string): TextSearch {
  const programs = [before, after].map(programOf);
  const [old, now] = programs;
  if (!old || !now) return "unknown";
  const alphabet = alphabetOf([old, now]);
  const seen = new Set<string>();
  let level: [State, State, number[]][] = [[START, START, []]];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const [a, b, text] of level) {
      const last = text.at(-1) ?? NONE;
      if (step(old, a, last, NONE).found && !step(now, b, last, NONE).found) {
        return { text: String.fromCodePoint(...text) };
      }
      for (const rune of alphabet) {
        const [c, d] = [step(old, a, last, rune), step(now, b, last, rune)];
        // What is found stays found, and a program without threads may still begin anew.
        if (d.found) continue;
        const key = `${keyOf(c)}|${keyOf(d)}|${String(kindOf(rune))}`;
        if (seen.has(key)) continue;
        if (seen.size >= STATES_MAX) return "unknown";
        seen.add(key);
        next.push([c, d, [...text, rune]]);
      }
    }
    level = next;
  }
  return "none";
}

function programOf(pattern: string): Program | undefined {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return undefined;
  const program = compiled.re2().prog as Program;
  const known = program.inst.every(({ op }) => op >= Op.alt && op <= Op.anyButNewline);
  return known ? program : undefined;
}

const keyOf = ({ threads, found }: State): string => (found ? "found" : threads.join());

/** What the next character's conditions ask about the one before. */
const kindOf = (rune: number): number =>
  rune === NONE ? 0 : rune === NEWLINE ? 1 : isWord(rune) ? 2 : 3;

const isWord = (rune: number): boolean => rune >= 0 && /^\w$/.test(String.fromCodePoint(rune));

/** The state after one more character, or at the end of the text with `NONE`. */
function step({ inst, start }: Program, state: State, last: number, rune: number): State {
  if (state.found) return FOUND;
  const conditions = conditionsAt(last, rune);
  const reached = new Set<number>();
  const open = [...state.threads, start];
  const next = new Set<number>();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const instruction = inst[at];
    if (!instruction || reached.has(at)) continue;
    reached.add(at);
    const { op, out, arg } = instruction;
    if (op === Op.match) return FOUND;
    if (op === Op.alt || op === Op.altMatch) open.push(out, arg);
    else if (op === Op.capture || op === Op.nop) open.push(out);
    else if (op === Op.emptyWidth) {
      if ((arg & ~conditions) === 0) open.push(out);
    } else if (takes(instruction, rune)) next.add(out);
  }
  return { threads: [...next].sort((a, b) => a - b), found: false };
}

function takes(instruction: Instruction, rune: number): boolean {
  if (rune === NONE || instruction.op === Op.fail) return false;
  if (instruction.op === Op.any) return true;
  if (instruction.op === Op.anyButNewline) return rune !== NEWLINE;
  return instruction.matchRune(rune);
}

/** The conditions that hold between two characters, as the bits of EmptyOp of package regexp/syntax. */
function conditionsAt(last: number, next: number): number {
  const lines =
    (last === NONE || last === NEWLINE ? 1 : 0) + (next === NONE || next === NEWLINE ? 2 : 0);
  const texts = (last === NONE ? 4 : 0) + (next === NONE ? 8 : 0);
  return lines + texts + (isWord(last) === isWord(next) ? 32 : 16);
}

/** Characters that people read easily, to be preferred in what is shown. */
const USUAL = Array.from("axyzAX0195-._/: ,@~é\n", (text) => text.codePointAt(0) ?? 0);

/** One character for each set of characters that the programs don't tell apart. */
function alphabetOf(programs: readonly Program[]): number[] {
  const instructions = programs.flatMap(({ inst }) =>
    inst.filter(({ op }) => op === Op.rune || op === Op.rune1),
  );
  const bounds = instructions.flatMap(({ runes }) =>
    [...runes].flatMap((rune) => [rune - 1, rune, rune + 1]),
  );
  const folded = bounds.flatMap((rune) => otherCases(rune));
  const chosen = new Map<string, number>();
  for (const rune of [...USUAL, ...bounds, ...folded]) {
    if (!isCharacter(rune)) continue;
    const taken = instructions.map((one) => (one.matchRune(rune) ? "1" : "0")).join("");
    const key = `${taken}${String(kindOf(rune))}`;
    if (!chosen.has(key)) chosen.set(key, rune);
  }
  return [...chosen.values()];
}

function otherCases(rune: number): number[] {
  if (!isCharacter(rune)) return [];
  const text = String.fromCodePoint(rune);
  return [text.toUpperCase(), text.toLowerCase()].map((other) => other.codePointAt(0) ?? rune);
}

/** Surrogates are no characters of their own. */
const isCharacter = (rune: number): boolean =>
  rune >= 0 && rune <= 0x10_ff_ff && !(rune >= 0xd8_00 && rune <= 0xdf_ff);
