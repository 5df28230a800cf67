import { PassThrough } from "node:stream";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { ConflictDialog } from "../../../src/cli/project/conflict-dialog.ts";
import { newProject, projectAfter, testContext } from "../support/run-cli.ts";

const CHANGE = { path: "a.yaml", before: "mine\n", after: "theirs\n" };

/** A dialog whose user gives these answers, and the lines that the user sees. */
function dialogWith(...answers: string[]): { dialog: ConflictDialog; lines: string[] } {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const dialog = new ConflictDialog({ ...testContext(), out: print, err: print }, (question) => {
    lines.push(question);
    return Promise.resolve(answers.shift() ?? "");
  });
  return { dialog, lines };
}

describe("the dialog about conflicts", () => {
  it("shows the difference, then asks until it understands the answer", async () => {
    const { dialog, lines } = dialogWith("x", "m", "O");
    expect(await dialog.ask(CHANGE)).toBe("overwrite");
    expect(lines.slice(0, 1)).toEqual(["  update a.yaml"]);
    expect(lines).toEqual(
      expect.arrayContaining(["-mine", "+theirs", "Answer with o, a, s, or b."]),
    );
  });

  it("merges where both texts can be written, skips, and aborts", async () => {
    const { dialog } = dialogWith("m", "s", "b");
    expect(await dialog.ask(CHANGE, { canMerge: true })).toBe("merge");
    expect(await dialog.ask(CHANGE)).toBe("skip");
    await expect(dialog.ask(CHANGE)).rejects.toMatchObject({ code: "aborted" });
  });

  it("does not ask again after the answer for all", async () => {
    const { dialog, lines } = dialogWith("a");
    expect(await dialog.ask({ ...CHANGE, after: undefined })).toBe("overwrite");
    expect(lines.at(-1)).toContain("[a] delete this and all others");
    const shown = lines.length;
    expect(await dialog.ask(CHANGE)).toBe("overwrite");
    expect(lines).toHaveLength(shown);
  });
});

/** Runs a command at a terminal whose user answers one question. */
async function answering(root: string, answer: string, argv: readonly string[]): Promise<number> {
  const terminal = new PassThrough();
  terminal.write(`${answer}\n`);
  const before = Object.getOwnPropertyDescriptor(process, "stdin");
  if (!before) throw new Error("a process has no stdin");
  Object.defineProperty(process, "stdin", { ...before, get: () => terminal });
  onTestFinished(() => void Object.defineProperty(process, "stdin", before));
  return main(argv, { ...testContext(root), interactive: true });
}

describe("commands at a terminal", { timeout: 120_000 }, () => {
  const KIND = ["--group", "web", "--version", "v1", "--kind", "Page"];
  const CONTROLLER = "src/controllers/page-controller.ts";

  it.each([
    ["o", undefined],
    ["s", "// mine\n"],
  ])("delete asks about a file that the user changed: %s", async (answer, left) => {
    const root = await projectAfter([["create", "api", ...KIND]]);
    writeFileSync(join(root, CONTROLLER), "// mine\n");
    expect(await answering(root, answer, ["delete", "controller", ...KIND])).toBe(0);
    const read = (): string => readFileSync(join(root, CONTROLLER), "utf8");
    if (left === undefined) expect(read).toThrow("ENOENT");
    else expect(read()).toBe(left);
  });

  it.each([
    ["o", 0, /memory: 128Mi/],
    ["s", 0, /memory: 1Gi/],
    ["m", 1, /<<<<<<< yours\n +memory: 1Gi\n[^]*memory: 128Mi\n>>>>>>>/],
  ])("upgrade asks about lines that both changed: %s", async (answer, exitCode, text) => {
    const root = await newProject();
    const path = join(root, "config/manager/manager.yaml");
    const record = join(root, ".tsop/scaffold.json");
    const change = (file: string, to: string): void =>
      writeFileSync(file, readFileSync(file, "utf8").replace("memory: 128Mi", to));
    change(record, "memory: 8Mi");
    change(path, "memory: 1Gi");
    expect(await answering(root, answer, ["upgrade"])).toBe(exitCode);
    expect(readFileSync(path, "utf8")).toMatch(text);
  });
});
