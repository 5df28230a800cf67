import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { emptyFolder, runCli } from "../support/run-cli.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

it.each(["myweb", "gateway", "configmonitor", "sampledb"])(
  "bundles the example %s into less than a megabyte, with a map to its sources",
  async (name) => {
    const root = emptyFolder();
    for (const path of ["PROJECT", "package.json", "tsconfig.json", "src"]) {
      cpSync(join(repository, "examples", name, path), join(root, path), { recursive: true });
    }
    mkdirSync(join(root, "node_modules"));
    symlinkSync(repository, join(root, "node_modules/tsop"), "junction");
    expect(await runCli(root, ["build"])).toMatchObject({ code: 0, err: "" });
    expect(statSync(join(root, "dist/main.mjs")).size).toBeLessThan(1_000_000);
    const { sources } = JSON.parse(readFileSync(join(root, "dist/main.mjs.map"), "utf8")) as {
      sources: string[];
    };
    expect(sources).toContain("../src/main.ts");
  },
  60_000,
);
