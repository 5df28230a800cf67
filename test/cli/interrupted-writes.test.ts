import { renameSync } from "node:fs";
import fileSystem from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { filesIn, newProject, projectAfter, runCli } from "./support/run-cli.ts";

/** Which write of a file fails: from it on all do, as on a full disk. Which rename does: that one alone. */
const disk = { writesLeft: Infinity, renamesLeft: Infinity, failed: 0 };

const { writeFile, rename } = fileSystem;

function failure(code: string, path: unknown): Error {
  disk.failed++;
  return Object.assign(new Error(`${code}: refused`), { code, path, syscall: "write" });
}

/** Other test files of this worker have loaded the commands already: the file system is changed in place. */
function breakDisk(): void {
  fileSystem.writeFile = async (...args) => {
    if (disk.writesLeft-- > 0) return writeFile(...args);
    throw failure("ENOSPC", args[0]);
  };
  fileSystem.rename = async (...args) => {
    if (disk.renamesLeft-- !== 0) return rename(...args);
    throw failure("EIO", args[1]);
  };
  syncBuiltinESMExports();
}

function mendDisk(): void {
  Object.assign(fileSystem, { writeFile, rename });
  syncBuiltinESMExports();
}

const KIND = ["--group", "web", "--version", "v1", "--kind", "Page"];

async function succeed(root: string, ...argv: string[]): Promise<void> {
  const { code, err } = await runCli(root, argv);
  expect([argv.join(" "), code, code === 0 ? "" : err]).toEqual([argv.join(" "), 0, ""]);
}

describe("a disk that is full in the middle of a command", { timeout: 120_000 }, () => {
  beforeAll(breakDisk);
  afterAll(mendDisk);
  afterEach(() => {
    disk.writesLeft = Infinity;
    disk.renamesLeft = Infinity;
  });

  it.each<[string, string[][], string[]]>([
    ["create api", [], ["create", "api", ...KIND, "--field", "title:string"]],
    [
      "create webhook",
      [["create", "api", ...KIND]],
      ["create", "webhook", ...KIND, "--validation", "--certificates", "cert-manager"],
    ],
    [
      "delete api",
      [
        ["create", "api", ...KIND],
        ["create", "webhook", ...KIND, "--defaulting"],
      ],
      ["delete", "api", ...KIND],
    ],
    ["edit", [], ["edit", "--enable", "prometheus,metrics-certs", "--disable", "network-policy"]],
    ["manifests", [["create", "api", ...KIND]], ["manifests"]],
  ])("leaves all files as they were, and says so: %s", async (_name, before, argv) => {
    for (const limit of ["writesLeft", "renamesLeft"] as const) await failAt(limit, before, argv);
  });

  async function failAt(
    limit: "writesLeft" | "renamesLeft",
    before: readonly string[][],
    argv: readonly string[],
  ): Promise<void> {
    const root = await projectAfter(before);
    const start = filesIn(root);
    let room = 0;
    for (; room < 60; room += room < 3 ? 1 : 5) {
      disk[limit] = room;
      disk.failed = 0;
      const { code, err } = await runCli(root, argv);
      disk[limit] = Infinity;
      if (disk.failed === 0) break;
      expect(filesIn(root)).toEqual(start);
      expect([room, code, err]).toEqual([
        room,
        1,
        expect.stringMatching(
          /write-failed: \/\S+ could not be written: .*\n.*Nothing was changed/,
        ),
      ]);
    }
    expect(room).toBeGreaterThan(1);
    // With room again, the same command works.
    expect(filesIn(root)).not.toEqual(start);
  }
});

describe("a main file with another name", { timeout: 120_000 }, () => {
  it("is found by create, whose lines delete takes back to the byte", async () => {
    const root = await newProject();
    renameSync(join(root, "src/main.ts"), join(root, "src/operator.ts"));
    const start = filesIn(root);
    await succeed(root, "create", "api", ...KIND);
    await succeed(root, "create", "webhook", ...KIND, "--validation");
    const files = filesIn(root);
    expect(files["src/operator.ts"]).toBe(start["src/operator.ts"]);
    expect(files["src/controllers/index.ts"]).toContain("setUpPage(manager);");
    expect(files["src/webhooks/index.ts"]).toContain("manager.webhooks.add(new PageValidator());");
    await succeed(root, "delete", "api", ...KIND);
    expect(filesIn(root)).toEqual(start);
  });

  it("is asked for where there is none, or more than one", async () => {
    const root = await newProject();
    renameSync(join(root, "src/main.ts"), join(root, "src/one.txt"));
    const none = await runCli(root, ["create", "api", ...KIND]);
    expect([none.code, none.err]).toEqual([
      1,
      expect.stringMatching(/no-main: .* no other file of src calls createManager\(\)/),
    ]);
  });
});
