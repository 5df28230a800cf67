import { describe, expect, it } from "vitest";
import type { Schema } from "../../src/kube/schema/structural.ts";
import { Random } from "../support/random.ts";
import { runCampaign, subjectOf } from "./type-judge/campaign.ts";
import { judge } from "./type-judge/judge.ts";
import { Project } from "./type-judge/project.ts";
import { CHANGES, withMistake } from "./type-judge/wrong-schemas.ts";

// The 200,000 are `npm run verify -- types --count 200000`.
describe("random types", () => {
  it("have a schema that says of values what TypeScript says, or are announced", () => {
    const failures: string[] = [];
    const { judged, rewritten } = runCampaign({
      count: 60,
      seed: 1,
      reports: 3,
      onFailure: ({ number, found, smallest }) => {
        failures.push(`${number}: ${found.kind} ${JSON.stringify(found.value)}\n${smallest}`);
      },
    });
    expect(failures).toEqual([]);
    expect(judged).toBeGreaterThan(30);
    expect(rewritten).toBeGreaterThan(2);
  });

  it("have a judge that finds the mistakes that a generator could make", () => {
    const project = new Project();
    try {
      const counts = new Map([...CHANGES.keys()].map((title) => [title, { made: 0, found: 0 }]));
      const titles: string[] = [];
      const subjects = Array.from({ length: 200 }, (_, number) => {
        const random = new Random(number);
        const alter = (schema: Schema): Schema | undefined => {
          const seldom = [...CHANGES].sort(([a], [b]) => madeOf(a) - madeOf(b));
          for (const [title, change] of seldom) {
            const wrong = withMistake(schema, change, random);
            if (!wrong) continue;
            titles[number] = title;
            const count = counts.get(title);
            if (count) count.made++;
            return wrong;
          }
          return undefined;
        };
        const { one, seed } = subjectOf(3, number);
        return { one, seed, alter };
      });
      const madeOf = (title: string): number => counts.get(title)?.made ?? 0;
      for (const [number, outcome] of judge(project, subjects).entries()) {
        const count = counts.get(titles[number] ?? "");
        if (outcome.is === "judged" && outcome.disagreements.length > 0 && count) count.found++;
      }
      const missed = [...counts].filter(([, { made, found }]) => found < made / 2 || made === 0);
      expect(missed).toEqual([]);
    } finally {
      project.remove();
    }
  });
});
