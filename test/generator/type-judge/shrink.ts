/** Makes a case that fails smaller, as long as it fails in the same way. */
import { type Case, show, sizeOf, smallerCases } from "./case.ts";
import { type Disagreement, judge, type Kind, type Outcome } from "./judge.ts";
import type { Project } from "./project.ts";
import type { Wrapper } from "./wrappers.ts";

/** A case, and how it fails. */
export interface Failure {
  readonly one: Case;
  readonly seed: number;
  readonly wrapper?: Wrapper | undefined;
  readonly found: Disagreement;
}

/** How many smaller cases are judged together. */
const AT_ONCE = 40;
const MAX_ROUNDS = 60;

/** The disagreement of a kind with the smallest value. */
export function smallestOf(outcome: Outcome | undefined, kind: Kind): Disagreement | undefined {
  if (outcome?.is !== "judged") return undefined;
  const sized = outcome.disagreements
    .filter((found) => found.kind === kind)
    .map((found) => ({ found, size: JSON.stringify(found.value).length }));
  return sized.sort((a, b) => a.size - b.size)[0]?.found;
}

/** The smallest failure that is found: nothing of it can be left out. */
export function shrink(project: Project, failure: Failure): Failure {
  let smallest = failure;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = smaller(project, smallest);
    if (!next) return smallest;
    smallest = next;
  }
  return smallest;
}

function smaller(project: Project, { one, seed, wrapper, found }: Failure): Failure | undefined {
  const size = sizeOf(one);
  const seen = new Set<string>();
  const candidates = [...smallerCases(one)]
    .map((candidate) => ({ candidate, text: show(candidate) }))
    .filter(({ text }) => text.length < size && !seen.has(text) && seen.add(text))
    .sort((a, b) => a.text.length - b.text.length)
    .map(({ candidate }) => candidate);
  for (let start = 0; start < candidates.length; start += AT_ONCE) {
    const some = candidates.slice(start, start + AT_ONCE);
    const subjects = some.map((candidate) => ({
      one: candidate,
      seed,
      wrapper,
      values: [found.value],
    }));
    const outcomes = judge(project, subjects);
    for (const [index, outcome] of outcomes.entries()) {
      const failing = smallestOf(outcome, found.kind);
      const candidate = some[index];
      if (failing && candidate) return { one: candidate, seed, wrapper, found: failing };
    }
  }
  return undefined;
}
