import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { planGeneratedFolder } from "../../../src/cli/packaging/generated-folder.ts";
import { applyPlan } from "../../../src/cli/project/plan.ts";
import { emptyFolder, testContext } from "../support/run-cli.ts";

const write = async (
  root: string,
  files: Readonly<Record<string, string>>,
  force = false,
): Promise<readonly string[]> => {
  const wanted = new Map(Object.entries(files));
  const { plan, kept } = await planGeneratedFolder(root, "chart", wanted, { force });
  await applyPlan(plan, testContext());
  return kept;
};
const read = (root: string, name: string): string =>
  readFileSync(join(root, "chart", name), "utf8");

it("writes files again that nobody has changed, and removes those that are wanted no more", async () => {
  const root = emptyFolder();
  await write(root, { "a.yaml": "one\n", "b.yaml": "gone\n" });
  expect(await write(root, { "a.yaml": "two\n" })).toEqual([]);
  expect(read(root, "a.yaml")).toBe("two\n");
  expect(existsSync(join(root, "chart/b.yaml"))).toBe(false);
});

it("keeps files that were changed by hand, wanted or not, until it is forced", async () => {
  const root = emptyFolder();
  await write(root, { "a.yaml": "one\n", "b.yaml": "gone\n" });
  for (const name of ["a.yaml", "b.yaml"]) writeFileSync(join(root, "chart", name), "mine\n");
  expect(await write(root, { "a.yaml": "two\n" })).toEqual(["chart/a.yaml", "chart/b.yaml"]);
  expect(await write(root, { "a.yaml": "three\n" })).toEqual(["chart/a.yaml"]);
  expect([read(root, "a.yaml"), read(root, "b.yaml")]).toEqual(["mine\n", "mine\n"]);
  expect(await write(root, { "a.yaml": "three\n" }, true)).toEqual([]);
  expect(read(root, "a.yaml")).toBe("three\n");
});

it("keeps files that were there before, and files of other names", async () => {
  const root = emptyFolder();
  await write(root, {});
  writeFileSync(join(root, "chart/a.yaml"), "mine\n");
  writeFileSync(join(root, "chart/own.yaml"), "mine\n");
  expect(await write(root, { "a.yaml": "one\n" })).toEqual(["chart/a.yaml"]);
  expect([read(root, "a.yaml"), read(root, "own.yaml")]).toEqual(["mine\n", "mine\n"]);
});

it("takes a file with Windows' line ends for the one that it wrote", async () => {
  const root = emptyFolder();
  await write(root, { "a.yaml": "one\n" });
  writeFileSync(join(root, "chart/a.yaml"), "one\r\n");
  expect(await write(root, { "a.yaml": "two\n" })).toEqual([]);
  expect(read(root, "a.yaml")).toBe("two\r\n");
});
