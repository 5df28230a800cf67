/** The tutorial, word for word: its commands are typed, its files written, and what it says is seen is looked for. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../src/testing.ts";
import { clientFolder, hasKubectl } from "../support/kubectl.ts";
import { Newcomer, type Running } from "./support/newcomer.ts";
import { stepsOf } from "./support/page-steps.ts";

const REFUSED_WITHIN = { timeoutMs: 60_000 };
const page = readFileSync(new URL("../../docs/tutorial.md", import.meta.url), "utf8");

describe.skipIf(!hasKubectl)("a reader of the tutorial", { timeout: 240_000 }, () => {
  let reader: Newcomer;
  beforeAll(async () => {
    reader = await Newcomer.arrive({ programs: clientFolder() });
  }, 300_000);
  afterAll(() => reader.leave());

  it("gets from an empty folder to a deployed operator", async () => {
    let folder = reader.home;
    let shown = "";
    const running: Running[] = [];
    for (const step of stepsOf(page)) {
      switch (step.do) {
        case "write":
          mkdirSync(dirname(join(folder, step.file)), { recursive: true });
          writeFileSync(join(folder, step.file), step.text);
          break;
        case "start": {
          const started = reader.start(step.command, folder);
          running.push(started);
          await started.waitFor(step.until);
          break;
        }
        case "stop":
          expect(await running.pop()?.stop()).toMatchObject({ code: 0 });
          break;
        case "refuse": {
          // Readers see that the operator is reloaded; here it may still be about to.
          shown = await eventually(async () => {
            const { code, out, err } = await reader.run(step.command, folder);
            expect([code, err]).toEqual([1, expect.stringContaining(step.because)]);
            return out + err;
          }, REFUSED_WITHIN);
          break;
        }
        case "see":
          for (const line of step.lines) expect(asWords(shown)).toContain(asWords(line));
          break;
        case "run":
          shown = "";
          for (const command of step.commands) {
            if (command.startsWith("cd ")) folder = join(folder, command.slice(3));
            else if (command.startsWith("export ")) reader.export(command.slice(7), folder);
            else {
              const { code, out, err } = await reader.run(command, folder);
              shown += out + err;
              expect(code, `${command} in line ${step.line}\n${out}${err}`).toBe(step.code);
            }
          }
      }
    }
    expect(running).toEqual([]);
  });
});

/** Columns are as wide as what is in them. */
const asWords = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
