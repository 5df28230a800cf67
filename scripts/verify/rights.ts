import {
  changeOf,
  type Changed,
  type Failure,
  isWrong,
  judgeMany,
  projectOf,
  shrink,
} from "../../test/generator/rights-judge/campaign.ts";
import { RightsJudge, textOf } from "../../test/generator/rights-judge/judge.ts";
import { describeProject } from "../../test/generator/rights-judge/project.ts";
import { defineVerification, SEED } from "../programs/program.ts";

const REPORT_EVERY = 200;
/** As many failures are made smaller and shown. */
const SHOWN_MAX = 30;
/** The share of granted rights that no run may need. */
const UNUSED_MAX = 0.02;

function describe({ seed, project, verdict }: Failure): string {
  const { missing, warnings, granted, mistakes } = verdict;
  return [
    `WRONG seed ${seed}: ${JSON.stringify(project)}`,
    describeProject(project),
    ...missing.map(
      ({ right, lines, announced }) =>
        `  needs ${right} at ${lines.join(", ")}; warned: ${announced}`,
    ),
    `  granted: ${granted.join(", ")}`,
    ...warnings.map((warning) => `  ${textOf(warning)}`),
    ...mistakes.map((mistake) => `  not a reconciler: ${mistake}`),
  ].join("\n");
}

export const program = defineVerification({
  about:
    "Writes random reconcilers, and runs each with the role that tsop infers and no other rights: nothing may be refused that no warning announced.",
  compares: "reconcilers",
  needs: ["a build"],
  options: {
    count: { type: "number", default: 1000, about: "number of reconcilers" },
    seed: SEED,
    shown: {
      type: "number",
      default: SHOWN_MAX,
      about: "most failures that are made smaller and shown",
    },
  },
  run: async ({ values: { count, seed, shown }, tally }) => {
    await using judge = await RightsJudge.start();
    const failures: Failure[] = [];
    const changes: Changed[] = [];
    const figures = await judgeMany(
      judge,
      { seed, count },
      {
        done({ projects, failed }) {
          if (projects % REPORT_EVERY === 0)
            console.log(`${projects} of ${count}, ${failed} wrong`);
        },
        failed: (failure) => failures.push(failure),
        changed: (one) => changes.push(one),
      },
    );
    const seen = new Set<string>();
    for (const failure of failures.slice(0, shown)) {
      const isSame = failure.verdict.mistakes.length > 0 ? isMistaken : isRefused;
      const project = await shrink(projectOf(failure.seed), async (candidate) =>
        isSame(await judge.judge(candidate)),
      );
      if (seen.has(JSON.stringify(project))) continue;
      seen.add(JSON.stringify(project));
      console.log(describe({ seed: failure.seed, project, verdict: await judge.judge(project) }));
    }
    for (const { seed: at, project, change } of changes.slice(0, shown)) {
      const smallest = await shrink(project, async (candidate) =>
        ((await changeOf(judge, candidate)) ?? []).some((right) => change.includes(right)),
      );
      console.log(`CHANGED seed ${at}: ${JSON.stringify(smallest)}\n  ${change.join(", ")}`);
    }
    for (const line of [...figures.families(), ...figures.lines()]) console.log(line);
    tally.add(count, count - failures.length);
    tally.add(figures.compared, figures.compared - figures.changed);
    if (figures.unused > figures.granted * UNUSED_MAX) {
      throw new Error(
        `more than ${UNUSED_MAX * 100} % of the granted rights were needed by no run`,
      );
    }
  },
});

const isMistaken = ({ mistakes }: { readonly mistakes: readonly string[] }): boolean =>
  mistakes.length > 0;
const isRefused: typeof isWrong = (verdict) => verdict.mistakes.length === 0 && isWrong(verdict);
