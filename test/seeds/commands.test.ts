/** Command lines that users of other tools type, and a scaffold that needs Node alone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { filesIn, newProject, runCli } from "../cli/support/run-cli.ts";

it("S2-02 takes operator-sdk's command line for a new kind, and asks nothing", async () => {
  const root = await newProject();
  const line = "create api --group app --version v1 --kind MyApp --resource --controller";
  expect(await runCli(root, line.split(" "))).toMatchObject({ code: 0, err: "" });
  const files = Object.keys(filesIn(root)).map((file) => file.replaceAll("\\", "/"));
  expect(files).toContain("src/api/v1/myapp.ts");
  expect(files).toContain("src/controllers/myapp-controller.ts");
});

it("S0-03 makes a project whose commands are programs of Node, and no shell's", async () => {
  const root = await newProject();
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const programs = Object.values(scripts).flatMap((script) =>
    script.split(" && ").map((command) => command.split(" ")[0]),
  );
  expect([...new Set(programs)].sort()).toEqual(["eslint", "tsc", "tsop", "vitest"]);
  const files = filesIn(root);
  expect(Object.keys(files).filter((file) => /\.(sh|bash)$/.test(file))).toEqual([]);
  expect(Object.entries(files).filter(([, text]) => /^#!.*\b(ba)?sh\b/.test(text))).toEqual([]);
});
