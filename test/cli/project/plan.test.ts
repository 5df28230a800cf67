import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { actionOf, applyPlan, planFiles } from "../../../src/cli/project/plan.ts";
import { emptyFolder, filesIn, testContext } from "../support/run-cli.ts";

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
    await applyPlan(plan, testContext());
    expect(filesIn(root)).toEqual({ same: "1", other: "2", "deep/new": "3" });
    expect((await planFiles(root, wanted)).changes).toEqual([]);
  });

  it("leaves no folder empty of which it deletes the last file", async () => {
    const root = emptyFolder();
    for (const path of ["a/b/c/last", "a/b/kept", "d/e/last"]) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), "1");
    }
    const gone = ["a/b/c/last", "d/e/last"].map((path) => [path, undefined] as const);
    await applyPlan(await planFiles(root, new Map(gone)), testContext());
    expect(readdirSync(root)).toEqual(["a"]);
    expect(readdirSync(join(root, "a/b"))).toEqual(["kept"]);
  });

  it("takes everything back when one file cannot be written", async () => {
    const root = emptyFolder();
    writeFileSync(join(root, "first"), "old");
    const plan = await planFiles(
      root,
      new Map([
        ["first", "new"],
        ["made/second", "new"],
      ]),
    );
    // A folder where a file is to be: the rename fails after the first one succeeded.
    const blocked = ["blocked", "blocked/below"];
    const broken = {
      ...plan,
      changes: [
        ...plan.changes,
        ...blocked.map((path) => ({ path, before: undefined, after: "new" })),
      ],
    };
    await expect(applyPlan(broken, testContext())).rejects.toMatchObject({ code: "write-failed" });
    expect(filesIn(root)).toEqual({ first: "old" });
  });

  it("does not overwrite or delete what was changed since it was made", async () => {
    const root = emptyFolder();
    writeFileSync(join(root, "kept"), "old");
    writeFileSync(join(root, "gone"), "old");
    for (const [path, after] of [["kept", "new"] as const, ["gone", undefined] as const]) {
      const plan = await planFiles(root, new Map([[path, after]]));
      writeFileSync(join(root, path), "by hand");
      await expect(applyPlan(plan, testContext())).rejects.toMatchObject({
        code: "changed-meanwhile",
      });
    }
    expect(filesIn(root)).toEqual({ kept: "by hand", gone: "by hand" });
  });

  it("has no path outside of its root", async () => {
    const root = emptyFolder();
    for (const path of ["../outside", "a/../../outside"]) {
      const plan = planFiles(join(root, "project"), new Map([[path, "1"]]));
      await expect(plan).rejects.toMatchObject({ code: "outside-project" });
    }
  });

  it("leaves no half-written file in a folder that cannot be written", async () => {
    if (process.getuid?.() === 0) return; // root writes everywhere
    const root = emptyFolder();
    chmodSync(root, 0o500);
    const plan = await planFiles(root, new Map([["a", "1"]]));
    await expect(applyPlan(plan, testContext())).rejects.toMatchObject({ code: "write-failed" });
    chmodSync(root, 0o700);
    expect(filesIn(root)).toEqual({});
  });
});
