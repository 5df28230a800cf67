import { execFile } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { emptyFolder, filesIn, newProject, runCli } from "./support/run-cli.ts";

const TSOP = fileURLToPath(new URL("../../bin/tsop.js", import.meta.url));

/** Loaded into the program: it is killed by the call of that number, as by a power cut. */
const KILLER = `import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
const [name, at] = process.env.KILLED_AT.split(":");
const original = fs[name];
let left = Number(at);
fs[name] = async (...args) => {
  if (left-- === 0) {
    if (name === "writeFile") await original(args[0], String(args[1]).slice(0, 10));
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});
  }
  return original(...args);
};
syncBuiltinESMExports();
`;

const KIND = ["--group", "web", "--version", "v1", "--kind", "Page"];
const CHART = ["chart", "--image", "registry.example.com/shop:1"];

/** Runs the built program until it is killed. */
function killed(root: string, argv: readonly string[], at: string): Promise<string | undefined> {
  const killer = join(emptyFolder(), "killer.mjs");
  writeFileSync(killer, KILLER);
  const args = ["--import", pathToFileURL(killer).href, TSOP, ...argv];
  const env = { ...process.env, KILLED_AT: at };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, env }, (error) => {
      resolve(error?.signal ?? undefined);
    });
  });
}

describe.skipIf(process.platform === "win32")(
  "a command that is killed",
  { timeout: 60_000 },
  () => {
    it.each([
      { name: "create api", before: [], argv: ["create", "api", ...KIND] },
      { name: "manifests", before: [["create", "api", ...KIND]], argv: ["manifests"] },
      { name: "chart", before: [["create", "api", ...KIND], ["manifests"]], argv: CHART },
    ])(
      "leaves a project in which $name runs to its end the next time",
      async ({ before, argv }) => {
        const start = await newProject();
        for (const one of before) expect((await runCli(start, one)).code).toBe(0);
        const undisturbed = join(emptyFolder(), "shop");
        cpSync(start, undisturbed, { recursive: true });
        expect((await runCli(undisturbed, argv)).code).toBe(0);
        const expected = filesIn(undisturbed);

        for (const at of ["writeFile:2", "rename:2"]) {
          const root = join(emptyFolder(), "shop");
          cpSync(start, root, { recursive: true });
          expect([at, await killed(root, argv, at)]).toEqual([at, "SIGKILL"]);
          const again = await runCli(root, argv);
          expect([at, again.code, again.err]).toEqual([at, 0, ""]);
          expect([at, filesIn(root)]).toEqual([at, expected]);
        }
      },
    );
  },
);
