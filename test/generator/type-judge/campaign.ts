/** Judges many cases, and counts. */
import { show } from "./case.ts";
import { randomCase } from "./grammar/declarations.ts";
import { type Disagreement, judge, type Kind, type Outcome, type Subject } from "./judge.ts";
import { Project } from "./project.ts";
import { Random } from "../../support/random.ts";
import { WRAPPERS } from "./wrappers.ts";
import { shrink, smallestOf } from "./shrink.ts";

/** What to run. */
export interface CampaignOptions {
  /** How many types. */
  readonly count: number;
  readonly seed: number;
  /** Judges only the case with this number. */
  readonly only?: number;
  /** How many failing cases are made smaller and reported; the others are only counted. */
  readonly reports: number;
  /** Called after each batch, with the number of judged cases. */
  readonly onProgress?: (done: number) => void;
  readonly onFailure?: (failure: Report) => void;
}

/** A failing case. */
interface Report {
  /** Its number in the run. */
  readonly number: number;
  readonly found: Disagreement;
  /** The text of the smallest case that fails in the same way. */
  readonly smallest: string;
}

/** The figures of a run. */
export class Figures {
  types = 0;
  judged = 0;
  values = 0;
  /** How many types were compared with themselves, written in another way. */
  rewritten = 0;
  notCompiled = 0;
  /** How many types failed. */
  failed = 0;
  /** The types about which the generator said something, by the code of what it said. */
  readonly announced = new Map<string, number>();
  readonly disagreements = new Map<Kind, number>();
  /** What does not compile, by the code of the error. */
  readonly mistakes = new Map<string, number>();

  add(outcome: Outcome): void {
    this.types++;
    if (outcome.is === "not compiled") {
      this.notCompiled++;
      increment(this.mistakes, outcome.why.slice(0, 6));
    } else if (outcome.is === "announced") {
      const codes = new Set(outcome.diagnostics.map(({ severity, code }) => `${severity} ${code}`));
      for (const code of codes) increment(this.announced, code);
    } else {
      this.judged++;
      this.values += outcome.values;
      if (outcome.rewritten) this.rewritten++;
      const kinds = new Set(outcome.disagreements.map(({ kind }) => kind));
      for (const kind of kinds) increment(this.disagreements, kind);
      if (kinds.size > 0) this.failed++;
    }
  }
}

function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const BATCH = 200;
/** The share of types that are also written in another way. */
const REWRITTEN = 0.3;
/** The most reports of cases whose errors begin in the same way. */
const PER_FAMILY = 4;

/** Runs a campaign in this process. */
export function runCampaign({ count, seed, only, reports, ...on }: CampaignOptions): Figures {
  const project = new Project();
  const figures = new Figures();
  const reported = new Set<string>();
  const families = new Map<string, number>();
  try {
    const first = only ?? 0;
    const end = only === undefined ? count : only + 1;
    for (let start = first; start < end; start += BATCH) {
      const subjects = Array.from({ length: Math.min(BATCH, end - start) }, (_, index) =>
        subjectOf(seed, start + index),
      );
      for (const [index, outcome] of judge(project, subjects).entries()) {
        figures.add(outcome);
        const subject = subjects[index];
        if (outcome.is !== "judged" || !subject) continue;
        for (const kind of new Set(outcome.disagreements.map((one) => one.kind))) {
          const found = smallestOf(outcome, kind);
          const family = `${kind} ${found?.detail.replace(/spec\.v\S*/, "").replace(/["\d\n][^]*/, "") ?? ""}`;
          const before = families.get(family) ?? 0;
          if (!found || reported.size >= reports || before >= PER_FAMILY) continue;
          families.set(family, before + 1);
          const smallest = shrink(project, { ...subject, found });
          const text = show(smallest.one);
          if (reported.has(text)) continue;
          reported.add(text);
          on.onFailure?.({ number: start + index, found: smallest.found, smallest: text });
        }
      }
      on.onProgress?.(Math.min(start + BATCH, end) - first);
    }
  } finally {
    project.remove();
  }
  return figures;
}

/** The case of a number, and the seed of its values. */
export function subjectOf(seed: number, number: number): Subject {
  // The golden ratio spreads numbers that follow each other over all states of the generator.
  const own = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca6b);
  const random = new Random(own ^ 0x27d4eb2f);
  const wrapper = random.chance(REWRITTEN) ? random.pick(WRAPPERS) : undefined;
  return { one: randomCase(own), seed: own ^ 0x5bd1e995, wrapper };
}
