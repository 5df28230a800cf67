import { describe, expect, it } from "vitest";
import { fuzz } from "./run.ts";

// The million is `npm run fuzz`.
describe("The control plane under random requests", () => {
  it("answers each, never fails inside, and lives on", async () => {
    // The second of `npm run fuzz` is one of a machine that is known; the largest bombs take most of it there.
    const { wrong, statuses } = await fuzz({ requests: 1500, seed: 1, slowMs: 4000 });
    expect(wrong).toEqual([]);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["200", "201", "400", "422"]));
  }, 120_000);
});
