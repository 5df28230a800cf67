import { describe, expect, it } from "vitest";
import { fuzz } from "./run.ts";

// The million is `npm run verify -- fuzz`.
describe("The control plane under random requests", () => {
  it("answers each, never fails inside, and lives on", async () => {
    // How long an answer takes is a question of `npm run verify -- fuzz`, to a machine that is known.
    const { wrong, statuses } = await fuzz({ requests: 1500, seed: 1, deadlineMs: 110_000 });
    expect(wrong).toEqual([]);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["200", "201", "400", "422"]));
  }, 120_000);
});
