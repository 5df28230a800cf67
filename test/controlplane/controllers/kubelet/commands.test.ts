import { execFile } from "node:child_process";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runCommand } from "../../../../src/controlplane/controllers/kubelet/program/command-run.ts";

const run = promisify(execFile);

/** When a command ends, and how; `undefined` when it is not understood. */
function commandEnd(
  words: readonly string[],
): { afterMs: number | undefined; exitCode: number } | undefined {
  const course = runCommand(words, { env: new Map(), hasMemoryLimit: false });
  return course && { afterMs: course.endMs, exitCode: course.exitCode };
}

/** How the machine's own shell ends a command, where sleeps take no time. */
async function realEnd(words: readonly string[]): Promise<number> {
  const [program = "", ...args] = words;
  try {
    await run(program, args);
    return 0;
  } catch (error) {
    return (error as { code: number }).code;
  }
}

const UNDERSTOOD: readonly (readonly [words: readonly string[], afterMs: number])[] = [
  [["true"], 0],
  [["/bin/false"], 0],
  [["sleep", "0"], 0],
  [["sh", "-c", "exit 3"], 0],
  [["sh", "-c", "sleep 0; exit 4"], 0],
  [["sh", "-ec", "false; exit 5"], 0],
  [["sh", "-e", "-c", "false || true; exit 6"], 0],
  [["sh", "-c", "false; true"], 0],
  [["sh", "-c", "false && exit 7; exit 8"], 0],
  [["sh", "-c", "true && exit 9 || exit 10"], 0],
  [["sh", "-c", "false || exit 11"], 0],
  [["sh", "-c", "set -e\n# a comment; exit 1\nfalse\nexit 12\n"], 0],
  [["sh", "-c", 'echo "a; exit 1" && exit 13'], 0],
  [["sh", "-c", "echo 'failed & gone' >&2; exit 14"], 0],
  [["sh", "-c", "false; exit $?"], 0],
  [["sh", "-c", "false; exit"], 0],
  [["sh", "-c", "exit 300"], 0],
  [["sh", "-c", "exec false"], 0],
  [["sh", "-c", "for i in 1 2 3; do echo $i; done; exit $i"], 0],
  [["sh", "-c", "if [ -n '' ]; then exit 1; elif test a = b; then exit 2; else exit 15; fi"], 0],
  [["sh", "-c", "X=16; Y=${Z:-$X}; exit $X"], 0],
  [["sh", "-c", "(exit 17); exit $?"], 0],
  [["sh", "-c", "! true; exit $?"], 0],
  [["sh", "-c", "false & wait; exit 18"], 0],
  [["sh", "-c", "trap 'exit 19' EXIT; exit 1"], 0],
  [["sh", "-c", "while :; do break; done; until true; do :; done; exit 20"], 0],
  [["sh", "-c", "cat /tmp/no-file-of-that-name || exit 21"], 0],
];

/** A script whose end depends on much of the language, but not on the machine. */
const script: fc.Arbitrary<string> = fc.letrec<{ list: string; command: string }>((tie) => ({
  list: fc
    .array(fc.tuple(tie("command"), fc.constantFrom("; ", " && ", " || ", "\n")), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.map((part) => part.join("")).join("") + "true"),
  command: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      "true",
      "false",
      "! false",
      "(exit 3)",
      "test a = b",
      "x=$?",
      "exit 7",
      "exit $?",
    ),
    tie("list").map((list) => `{ ${list}; }`),
    tie("list").map((list) => `if ${list}; then ${list}; else false; fi`),
    tie("list").map((list) => `for i in 1 2; do ${list}; done`),
    tie("list").map((list) => `while ${list}; do break; done`),
  ),
})).list;

describe("commandEnd", () => {
  it.skipIf(process.platform === "win32")("ends commands as the machine's shell does", async () => {
    for (const [words] of UNDERSTOOD) {
      expect([words, commandEnd(words)?.exitCode]).toEqual([words, await realEnd(words)]);
    }
  });

  it.skipIf(process.platform === "win32")(
    "ends any script as the machine's shell does",
    async () => {
      await fc.assert(
        fc.asyncProperty(script, fc.constantFrom("-c", "-ec"), async (text, option) => {
          const words = ["sh", option, text];
          expect(commandEnd(words)?.exitCode).toBe(await realEnd(words));
        }),
        { numRuns: 60 },
      );
    },
  );

  it("takes SIGTERM by its trap, after the command in hand", () => {
    const ends = (text: string, signalMs: number): (number | undefined)[] => {
      const run = runCommand(["sh", "-c", text], {
        env: new Map(),
        hasMemoryLimit: false,
        signalMs,
      });
      return [run?.endMs, run?.exitCode];
    };
    const loop = "trap 'sleep 3; exit 5' TERM; while true; do sleep 10; done";
    expect(ends(loop, 4000)).toEqual([13_000, 5]);
    expect(ends(loop, 3_600_000_000 + 4000)).toEqual([3_600_000_000 + 13_000, 5]);
    expect(ends("trap 'exit 6' TERM; sleep infinity & wait", 4000)).toEqual([4000, 6]);
    expect(ends("sleep 20", 4000)).toEqual([20_000, 0]);
    expect(ends("while true; do sleep 10; done", 4000)).toEqual([undefined, 0]);
  });

  it("adds the sleeps up", () => {
    expect(commandEnd(["sleep", "5"])).toEqual({ afterMs: 5000, exitCode: 0 });
    expect(commandEnd(["/usr/bin/sleep", "1m", "1.5s"])?.afterMs).toBe(61_500);
    expect(commandEnd(["sh", "-c", "sleep 2 && sleep 3; exit 1"])).toEqual({
      afterMs: 5000,
      exitCode: 1,
    });
  });

  it("knows what never ends", () => {
    for (const words of [
      ["sleep", "infinity"],
      ["sh", "-c", "while true; do sleep 5; done"],
      ["sh", "-c", "echo up; sleep inf"],
      ["tail", "-f", "/dev/null"],
    ]) {
      expect([words, commandEnd(words)]).toEqual([words, { afterMs: undefined, exitCode: 0 }]);
    }
  });

  it("does not guess at anything else", () => {
    for (const words of [
      [],
      ["nginx"],
      ["sleep"],
      ["sleep", "$(SECONDS)"],
      ["sh"],
      ["sh", "/scripts/run.sh"],
      ["sh", "-c"],
      ["sh", "-c", "pg_dump db > /backup/db.sql"],
      ["sh", "-c", "case $1 in a) exit 1;; esac"],
      ["sh", "-c", "echo a | grep a"],
      ["sh", "-c", "cat /etc/config/a"],
      ["sh", "-c", "exit `cat code`"],
      ["sh", "-c", "$COMMAND"],
      ["sh", "-c", "echo 'unfinished"],
    ]) {
      expect([words, commandEnd(words)]).toEqual([words, undefined]);
    }
  });
});
