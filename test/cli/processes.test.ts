import { describe, expect, it } from "vitest";
import { BackgroundProcess, runToEnd, type ProgramCall } from "../../src/cli/processes.ts";
import { testContext } from "./support/run-cli.ts";
import { shellWord } from "../../src/cli/shell-word.ts";

const context = testContext();
const node = (script: string, ...args: string[]): ProgramCall => ({
  program: process.execPath,
  args: ["--eval", script, ...args],
  cwd: process.cwd(),
  env: { PATH: process.env["PATH"] },
});

describe("a program that runs to its end", () => {
  it("gets its arguments as they are, and nothing of the environment that was not passed", async () => {
    const odd = `a b"c'd$HOME;*`;
    const script = "console.log(JSON.stringify([process.argv[1], process.env.VITEST]))";
    expect(JSON.parse(await runToEnd(node(script, odd), { context }))).toEqual([odd, null]);
  });

  it("that fails is told with the end of its output", async () => {
    const script =
      'for (let i = 0; i < 99; i++) console.log("line", i); console.error("broken"); process.exit(3)';
    await expect(runToEnd(node(script), { context })).rejects.toMatchObject({
      code: "program-failed",
      message: expect.stringMatching(
        /exited with code 3:\n {2}line 80\n[^]*line 98\n {2}broken$/,
      ) as string,
    });
  });

  it("that is not there is told by its name", async () => {
    const call = { ...node(""), program: "no-such-program" };
    await expect(runToEnd(call, { context })).rejects.toMatchObject({
      code: "program-not-found",
      message: "There is no program no-such-program on the PATH.",
    });
  });

  it("ends when its signal aborts", async () => {
    const end = new AbortController();
    const running = runToEnd(node("setInterval(() => {}, 1000)"), { signal: end.signal, context });
    end.abort();
    await expect(running).rejects.toMatchObject({ code: "program-interrupted" });
  });
});

describe("a program beside the command", () => {
  it("tells its lines, and its code when it ends", async () => {
    const lines: string[] = [];
    const call = node('console.log("one"); console.error("two"); process.exitCode = 4');
    const running = BackgroundProcess.start(call, { onLine: (line) => lines.push(line) });
    expect(await running.exited).toBe(4);
    expect(lines.sort()).toEqual(["one", "two"]);
  });

  it("ends when it is asked to, or at once", async () => {
    const deaf = node(
      'process.on("SIGTERM", () => console.log("no")); console.log("up"); setInterval(() => {}, 1000)',
    );
    const told: string[] = [];
    const running = BackgroundProcess.start(deaf, {
      ownGroup: true,
      onLine(line) {
        told.push(line);
        if (line === "up") running.end();
        else running.kill();
      },
    });
    expect(await running.exited).toBeUndefined();
    expect(told).toEqual(["up", "no"]);
  });

  it("says that it could not be started", async () => {
    const call = { ...node(""), program: "no-such-program" };
    const running = BackgroundProcess.start(call, { onLine: () => undefined });
    await expect(running.exited).rejects.toMatchObject({ code: "program-not-found" });
  });
});

describe("a word of a printed command line", () => {
  it.each([
    ["shop", "linux", "shop"],
    ["a/b.c-d", "linux", "a/b.c-d"],
    ["My Proj", "linux", "'My Proj'"],
    ["it's", "linux", String.raw`'it'\''s'`],
    ["$HOME", "linux", "'$HOME'"],
    ["-x", "linux", "./-x"],
    ["My Proj", "win32", '"My Proj"'],
    [String.raw`a\b`, "win32", String.raw`a\b`],
  ] as const)("%s on %s is %s", (word, platform, quoted) => {
    expect(shellWord(word, platform)).toBe(quoted);
  });
});
