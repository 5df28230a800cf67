/** `cron-cases.jsonl` holds what github.com/robfig/cron v3.0.1 answers, the library of the CronJob controller. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseCron } from "../../../src/kube/values/cron.ts";

interface Case {
  readonly spec: string;
  readonly zone: string;
  readonly from: string;
  /** The next moments; an empty text for never. */
  readonly next?: readonly string[];
  readonly error?: string;
}

const cases = readFileSync(new URL("cron-cases.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

const timeOf = (ms: number | undefined): string =>
  ms === undefined ? "" : new Date(ms).toISOString().replace(".000Z", "Z");

describe("parseCron", () => {
  it("is due when the library of the real controller says so, also when clocks change", () => {
    for (const { spec, zone, from, next } of cases) {
      if (!next) continue;
      const schedule = parseCron(spec, zone);
      const found: string[] = [];
      let moment: number | undefined = Date.parse(from);
      while (moment !== undefined && found.length < next.length) {
        moment = schedule.next(moment);
        found.push(timeOf(moment));
      }
      expect({ spec, zone, from, found }).toEqual({ spec, zone, from, found: next });
    }
  });

  it("refuses what the library refuses, in its words", () => {
    const refused = cases.filter(({ error }) => error !== undefined);
    expect(refused.length).toBeGreaterThan(10);
    for (const { spec, zone, error } of refused) {
      expect(() => parseCron(spec, zone)).toThrow(new RangeError(error));
    }
  });
});
