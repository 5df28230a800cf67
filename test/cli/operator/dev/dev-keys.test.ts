/** What each key of `tsop dev` does, with a session that takes notes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { DevKeys, type KeyTargets } from "../../../../src/cli/operator/dev/dev-keys.ts";
import { emptyFolder, testContext } from "../../support/run-cli.ts";

/** Keys in a folder whose `npm test` is a script, with a session that takes notes. */
function start(test: string) {
  const root = emptyFolder();
  writeFileSync(join(root, "package.json"), JSON.stringify({ scripts: { test } }));
  const lines: string[] = [];
  const note = (what: string) => (): Promise<void> => {
    lines.push(what);
    return Promise.resolve();
  };
  const session = {
    applySamples: note("samples"),
    deleteObjects: () => Promise.reject(new Error("no server")),
    log: { next: () => "log: only errors" },
    page: { open: note("page") },
  } satisfies KeyTargets["session"];
  let press: (key: string) => void = () => undefined;
  let isListening = true;
  const keys = new DevKeys(
    { root, session, quit: () => lines.push("quit") },
    {
      ...testContext(root),
      env: { PATH: process.env["PATH"], HOME: root },
      out: (line) => lines.push(line),
      err: (line) => lines.push(line),
      keys: (onKey) => {
        press = onKey;
        return () => (isListening = false);
      },
    },
  );
  keys.start();
  return { keys, lines, press: (key: string) => press(key), isListening: () => isListening };
}

const untilTold = (lines: readonly string[], line: string): Promise<void> =>
  eventually(() => expect(lines).toContain(line));

describe("the keys of tsop dev", { timeout: 30_000 }, () => {
  it("run the tests at t, and say how they ended", async () => {
    const good = start("node -e \"console.log('2 passed')\"");
    good.press("t");
    await untilTold(good.lines, "the tests passed");
    expect(good.lines).toEqual(expect.arrayContaining(["npm test", "2 passed"]));

    const bad = start('node -e "process.exit(4)"');
    bad.press("t");
    await untilTold(bad.lines, "the test run exited with code 4");
  });

  it("filter the log and quit at once, also while the tests run, which end with it", async () => {
    const { keys, lines, press, isListening } = start(
      "node -e \"console.log('begun'); setTimeout(() => console.log('done'), 60000)\"",
    );
    press("t");
    await untilTold(lines, "begun");
    press("f");
    press("q");
    expect(lines).toEqual(expect.arrayContaining(["log: only errors", "quit"]));
    keys.stop();
    expect(isListening()).toBe(false);
    await eventually(() =>
      expect(lines.some((line) => /^the test run (?:exited|was terminated)/.test(line))).toBe(true),
    );
    expect(lines).not.toContain("done");
  });

  it("say what failed, and go on with the next; other keys do nothing", async () => {
    const { lines, press } = start("");
    for (const key of ["r", "x", "a", "o"]) press(key);
    await untilTold(lines, "page");
    expect(lines.slice(1)).toEqual([
      expect.stringContaining("no server"),
      expect.stringContaining("fix"),
      "samples",
      "page",
    ]);
  });
});
