import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { actionOf, applyPlan, planFiles } from "../../../src/cli/project/plan.ts";
import { emptyFolder, filesIn } from "../support/run-cli.ts";

describe("a plan", () => {
  it("has what differs from the disk, and nothing else", async () => {
    const root = emptyFolder();
    writeFileSync(join(root, "same"), "1");
    writeFileSync(join(root, "other"), "1");
    writeFileSync(join(root, "gone"), "1");
    const wanted = new Map([
      ["same", "1"],
      ["other", "2"],
      ["deep/new", "3"],
      ["gone", undefined],
    ]);
    const plan = await planFiles(root, wanted);
    expect(plan.changes.map((change) => [change.path, actionOf(change)])).toEqual([
      ["other", "update"],
      ["deep/new", "create"],
      ["gone", "delete"],
    ]);
    expect(plan.unchanged).toEqual(["same"]);
    await applyPlan(plan);
    expect(filesIn(root)).toEqual({ same: "1", other: "2", "deep/new": "3" });
    expect((await planFiles(root, wanted)).changes).toEqual([]);
  });

  it("takes everything back when one file cannot be written", async () => {
    const root = emptyFolder();
    writeFileSync(join(root, "first"), "old");
    mkdirSync(join(root, "blocked"));
    const plan = await planFiles(
      root,
      new Map([
        ["first", "new"],
        ["made/second", "new"],
      ]),
    );
    // A folder where a file is to be: the rename fails after the first one succeeded.
    const broken = {
      ...plan,
      changes: [...plan.changes, { path: "blocked", before: undefined, after: "new" }],
    };
    await expect(applyPlan(broken)).rejects.toMatchObject({ code: "write-failed" });
    expect(filesIn(root)).toEqual({ first: "old" });
  });

  it("leaves no half-written file in a folder that cannot be written", async () => {
    if (process.getuid?.() === 0) return; // root writes everywhere
    const root = emptyFolder();
    chmodSync(root, 0o500);
    const plan = await planFiles(root, new Map([["a", "1"]]));
    await expect(applyPlan(plan)).rejects.toMatchObject({ code: "write-failed" });
    chmodSync(root, 0o700);
    expect(filesIn(root)).toEqual({});
  });
});
