import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { filesIn, newProject, runCli } from "../support/run-cli.ts";

const create = (kind: string): string[] => [
  "create",
  "api",
  "--group",
  "web",
  "--version",
  "v1",
  "--kind",
  kind,
];

it("takes one command of a project after the other: none of three at once is lost", async () => {
  const folder = await newProject();
  const kinds = ["Page", "Book", "Shelf"];
  const results = await Promise.all(kinds.map((kind) => runCli(folder, create(kind))));
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
  const files = filesIn(folder);
  for (const kind of kinds) {
    expect(files["src/main.ts"]).toContain(`setUp${kind}(manager);`);
    expect(files["PROJECT"]).toContain(`kind: ${kind}`);
    expect(files["config/samples/kustomization.yaml"]).toContain(`_${kind.toLowerCase()}.yaml`);
  }
  expect(existsSync(join(folder, ".tsop/lock"))).toBe(false);
});

it("takes over the lock of a process that is gone", async () => {
  const folder = await newProject();
  mkdirSync(join(folder, ".tsop"), { recursive: true });
  // No process has such an id.
  writeFileSync(join(folder, ".tsop/lock"), JSON.stringify({ pid: 2 ** 30, host: hostname() }));
  expect(await runCli(folder, create("Page"))).toMatchObject({ code: 0, err: "" });
  expect(existsSync(join(folder, ".tsop/lock"))).toBe(false);
});
