import { describe, expect, it } from "vitest";
import { fuzz } from "./run.ts";

// The million is `npm run fuzz`.
describe("The control plane under random requests", () => {
  it("answers each, never fails inside, and lives on", async () => {
    const { wrong, statuses } = await fuzz({ requests: 1500, seed: 1 });
    expect(wrong).toEqual([]);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["200", "201", "400", "422"]));
  }, 120_000);
});
