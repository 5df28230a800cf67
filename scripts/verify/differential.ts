import { readFileSync } from "node:fs";
import { shapeOf } from "../../test/controlplane/builtin/differential/compare.ts";
import { runDifferential } from "../../test/controlplane/builtin/differential/run.ts";
import { defineVerification, SEED } from "../programs/program.ts";

type Disagreements = Awaited<ReturnType<typeof runDifferential>>["disagreements"];

const percent = (same: number, asked: number): string =>
  `${same}/${asked} (${asked === 0 ? 100 : Math.floor((1000 * same) / asked) / 10} %)`;

/** Prints the differences of equal shape once, the most frequent first. */
function printShapes(disagreements: Disagreements, match: RegExp, show: number): void {
  const groups = new Map<string, { readonly count: number; readonly shown: string }>();
  for (const { question, lines } of disagreements) {
    for (const line of lines) {
      if (!match.test(`${question.title} ${line}`)) continue;
      const shape = shapeOf(line);
      const { count = 0, shown = `${question.title}\n      ${line.slice(0, 400)}` } =
        groups.get(shape) ?? {};
      groups.set(shape, { count: count + 1, shown });
    }
  }
  const sorted = [...groups.values()].sort((one, other) => other.count - one.count);
  for (const { count, shown } of sorted.slice(0, show)) {
    console.log(`${String(count).padStart(5)} ${shown}`);
  }
  console.log(`${groups.size} shapes of differences\n`);
}

/** Prints the first differences whole. */
function printWhole(disagreements: Disagreements, match: RegExp, full: number): void {
  const shown = disagreements
    .filter(({ question, lines }) => match.test(`${question.title} ${lines.join("\n")}`))
    .slice(0, full);
  for (const { question, real, ours } of shown) {
    console.log(`\n${question.title}\n${JSON.stringify({ ...question, real, ours }, null, 1)}`);
  }
}

export const program = defineVerification({
  about:
    "Sends the same mutated built-in objects to a real API server and to the embedded one, and compares the answers.",
  compares: "answers",
  needs: ["a real API server"],
  options: {
    kubeconfig: { type: "text", about: "of the real API server, which is filled with garbage" },
    answers: { type: "text", about: "folder that keeps its answers, for runs without it" },
    kinds: { type: "text", default: "", about: "regular expression of objects, as Kind/name" },
    count: { type: "number", default: 200, about: "questions for each kind" },
    seed: SEED,
    all: { type: "switch", about: "ask each single change once, instead of --count" },
    show: { type: "number", default: 40, about: "shapes of differences to print" },
    match: { type: "text", default: "", about: "regular expression of differences to print" },
    full: { type: "number", default: 0, about: "differences to print whole" },
  },
  run: async ({ values, tally }) => {
    const { kubeconfig, answers, kinds, count, seed, all, show, match, full } = values;
    if (kubeconfig === undefined && answers === undefined) {
      throw new Error("Name the real API server with --kubeconfig, or its answers with --answers.");
    }
    const { byKind, disagreements } = await runDifferential({
      ...(kubeconfig === undefined ? {} : { kubeconfig: readFileSync(kubeconfig, "utf8") }),
      ...(answers === undefined ? {} : { answersFolder: answers }),
      only: new RegExp(kinds),
      seed,
      count: all ? "all" : count,
    });
    printShapes(disagreements, new RegExp(match), show);
    printWhole(disagreements, new RegExp(match), full);
    for (const [kind, { asked, same }] of [...byKind].sort(([a], [b]) => a.localeCompare(b))) {
      console.log(`${kind.padEnd(60)} ${percent(same, asked)}`);
      tally.add(asked, same);
    }
  },
});
