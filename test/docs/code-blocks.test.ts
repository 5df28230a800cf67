/** The code in the pages about the runtime compiles as it stands: the blocks of a page are one module. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stepsOf } from "../journeys/support/page-steps.ts";
import { problemsIn, programOf, ROOT, settingsWith } from "../support/compiled.ts";
import { codeOf } from "./support/code-blocks.ts";

const PAGES = [
  "controllers",
  "caches",
  "control-plane",
  "errors-and-retries",
  "leader-election-and-sharding",
  "helpers",
  "logging",
  "own-metrics",
  "pods",
  "testing",
  "tracing",
  "versions",
  "webhooks",
];

const pathOf = (page: string): string => `docs/${page}.ts`;

describe("the code in the pages", { timeout: 120_000 }, () => {
  const modules = new Map(
    PAGES.map((page) => [
      pathOf(page),
      codeOf(readFileSync(join(ROOT, "docs", `${page}.md`), "utf8")),
    ]),
  );

  it("compiles", () => {
    const program = programOf(modules);
    expect([...modules.keys()].flatMap((path) => problemsIn(program, path))).toEqual([]);
  });

  it("compiles in the tutorial, as the files that it makes", () => {
    const tutorial = readFileSync(join(ROOT, "docs/tutorial.md"), "utf8");
    const files = stepsOf(tutorial).flatMap((step) =>
      step.do === "write" && step.file.endsWith(".ts")
        ? [[`docs/tutorial/${step.file}`, step.text] as const]
        : [],
    );
    const settings = settingsWith({ noUnusedLocals: true, noUnusedParameters: true });
    const program = programOf(new Map(files), settings);
    expect(files.flatMap(([path]) => problemsIn(program, path))).toEqual([]);
    expect(files.length).toBeGreaterThan(4);
  });

  it.each(PAGES)("%s has some", (page) => {
    expect(modules.get(pathOf(page))?.trim()).not.toBe("");
  });
});
