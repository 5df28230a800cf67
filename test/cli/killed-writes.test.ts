import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { killed, stopped } from "./support/killed.ts";
import { emptyFolder, filesIn, projectAfter, runCli } from "./support/run-cli.ts";

const KIND = ["--group", "web", "--version", "v1", "--kind", "Page"];
const CREATED = [["create", "api", ...KIND]];
const GENERATED = [...CREATED, ["manifests"]];
const packaged = (command: string, tag: string): string[] => [
  command,
  "--image",
  `registry.example.com/shop:${tag}`,
];

describe.skipIf(process.platform === "win32")(
  "a command that is killed",
  { timeout: 60_000 },
  () => {
    it.each([
      // The others are stopped in this process, at calls that leave the same behind.
      { name: "create api", before: [], argv: ["create", "api", ...KIND], isProcess: true },
      { name: "create api, in this process", before: [], argv: ["create", "api", ...KIND] },
      { name: "manifests", before: CREATED, argv: ["manifests"] },
      { name: "chart", before: GENERATED, argv: packaged("chart", "1") },
      { name: "bundle", before: GENERATED, argv: packaged("bundle", "1") },
      { name: "generate client", before: GENERATED, argv: ["generate", "client"] },
      {
        name: "chart again",
        before: [...GENERATED, packaged("chart", "1")],
        argv: [...packaged("chart", "2"), "--chart-version", "2.0.0"],
        calls: ["writeFile:1", "rename:1"],
      },
      {
        name: "bundle again",
        before: [...GENERATED, packaged("bundle", "1")],
        argv: packaged("bundle", "2"),
        calls: ["writeFile:0", "rename:0"],
      },
    ])(
      "leaves each file as it was or as it is wanted, and runs to its end the next time: $name",
      async ({ before, argv, isProcess = false, calls = ["writeFile:2", "rename:2"] }) => {
        const start = await projectAfter(before);
        const original = filesIn(start);
        const undisturbed = join(emptyFolder(), "shop");
        cpSync(start, undisturbed, { recursive: true });
        expect((await runCli(undisturbed, argv)).code).toBe(0);
        const expected = filesIn(undisturbed);
        expect(expected).not.toEqual(original);

        for (const at of calls) {
          const root = join(emptyFolder(), "shop");
          cpSync(start, root, { recursive: true });
          if (isProcess) expect([at, await killed(root, argv, at)]).toEqual([at, "SIGKILL"]);
          else await stopped(root, argv, at);
          const left = filesIn(root);
          for (const [path, content] of Object.entries(left)) {
            // What was being written has a name of its own until it is whole.
            if (/\.tsop-\d+$/.test(path)) continue;
            expect([at, path, [original[path], expected[path]]]).toEqual([
              at,
              path,
              expect.arrayContaining([content]),
            ]);
          }
          expect([at, Object.keys(left)]).toEqual([
            at,
            expect.arrayContaining(Object.keys(original)),
          ]);
          const again = await runCli(root, argv);
          expect([at, again.code, again.err]).toEqual([at, 0, ""]);
          expect([at, filesIn(root)]).toEqual([at, expected]);
        }
      },
    );
  },
);
