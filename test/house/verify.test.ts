/** Verifications as processes: the exit code, the figure in the last line, and the seed that repeats a run. */
import { execa } from "execa";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { KINDS, programNames } from "../../scripts/programs/folder.ts";
import { describeShared } from "../support/shared.ts";

const GUIDE = readFileSync("CONTRIBUTING.md", "utf8");
const RECORDING = "test/conformance/recordings/bodies-and-versions.json";

interface Run {
  readonly exitCode: number | undefined;
  readonly lines: readonly string[];
}

async function run(...args: string[]): Promise<Run> {
  const argv = ["scripts/run-ts.mjs", "scripts/programs/main.ts", ...args];
  const { exitCode, all } = await execa(process.execPath, argv, { reject: false, all: true });
  return { exitCode, lines: all.split("\n") };
}

describe.each(KINDS)("npm run %s", (kind) => {
  it("lists each file of its folder, as CONTRIBUTING.md does: `npm run make -- docs` writes it", async () => {
    const names = programNames(kind);
    expect(names.length).toBeGreaterThan(2);
    const { exitCode, lines } = await run(kind);
    expect(exitCode).toBe(0);
    expect(lines.filter((line) => /^[a-z]/.test(line)).map((line) => line.split(" ")[0])).toEqual([
      "npm",
      ...names,
    ]);
    const rows = new Map(
      [...GUIDE.matchAll(/^\| `npm run (\w+) -- ([\w-]+)` +\| (.*?) +\| (.*?) +\|$/gm)]
        .filter(([, known]) => known === kind)
        .map(([, , name, about, needs]) => [name, { about, needs }]),
    );
    expect([...rows.keys()]).toEqual(names);
    for (const name of names) {
      const [, about = "", next = ""] = lines.slice(
        lines.findIndex((line) => line.split(" ")[0] === name),
      );
      const needs = /^ +needs (.*)$/.exec(next)?.[1] ?? "";
      expect(rows.get(name)).toEqual({ about: about.trim(), needs });
    }
  });
});

describe("npm run verify", () => {
  it("repeats a run of a seed, and exits with 0 when it holds", async () => {
    const first = await run("verify", "determinism", "--seed", "3", "--count", "2");
    expect(first.exitCode).toBe(0);
    const [command = "", simulated] = first.lines;
    expect(command).toBe("npm run verify -- determinism --count 2 --seed 3");
    expect(simulated).toMatch(/^run 1 of 2: \d+ requests, \d+ pods, SHA-256 \w{64}$/);
    expect(first.lines.at(-1)).toBe("runs of one seed: 2 compared, 2 held");
    expect(await run("verify", ...command.replace(/^.* -- /, "").split(" "))).toEqual(first);
  });

  it("names the nearest program and option, and exits with 2", async () => {
    const list = "Run `npm run verify` for the list.";
    expect(await run("verify", "determinsm")).toEqual({
      exitCode: 2,
      lines: ['Unknown program "determinsm" of npm run verify. Did you mean determinism?', list],
    });
    expect(await run("verify", "determinism", "--cont", "2")).toEqual({
      exitCode: 2,
      lines: ['Unknown option "--cont". Did you mean --count?', list],
    });
  });
});

interface Recorded {
  readonly steps: readonly { readonly answer?: { status?: number } }[];
}

// The judge is a recording: as it was recorded, and with another status in its first answer.
describeShared("conformance", "npm run verify -- conformance", () => {
  it.each([
    { change: 0, exitCode: 0 },
    { change: 1, exitCode: 1 },
  ])("exits with $exitCode when $change answers differ", async ({ change, exitCode }) => {
    const recordings = mkdtempSync(join(tmpdir(), "tsop-verify-"));
    try {
      const [scenario] = JSON.parse(readFileSync(RECORDING, "utf8")) as Recorded[];
      const answers = scenario?.steps.flatMap(({ answer }) => answer ?? []) ?? [];
      if (answers[0]?.status === undefined) throw new Error(`${RECORDING} begins without a status`);
      answers[0].status += change;
      writeFileSync(join(recordings, "bodies.json"), JSON.stringify([scenario]));
      const { lines, ...ended } = await run("verify", "conformance", "--recordings", recordings);
      expect(ended.exitCode).toBe(exitCode);
      const held = answers.length - change;
      expect(lines.at(-1)).toBe(`recorded answers: ${answers.length} compared, ${held} held`);
    } finally {
      rmSync(recordings, { recursive: true });
    }
  });
});
