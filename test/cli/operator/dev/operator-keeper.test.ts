import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { OperatorKeeper } from "../../../../src/cli/operator/dev/operator-keeper.ts";
import { OperatorProcess } from "../../../../src/cli/operator/operator-process.ts";
import { VirtualClock } from "../../../../src/clock.ts";
import { CONTROLLER_STARTED } from "../../../../src/runtime/controller/controller.ts";
import { emptyFolder, testContext } from "../../support/run-cli.ts";

const STARTED = JSON.stringify({ level: 30, time: 0, msg: CONTROLLER_STARTED });

describe("OperatorKeeper", () => {
  it("starts a crashed operator again after a wait, and tells of its readiness once", async () => {
    const root = emptyFolder();
    writeFileSync(
      join(root, "main.mjs"),
      `console.log(${JSON.stringify(STARTED)}); process.exit(7);`,
    );
    const lines: string[] = [];
    const clock = new VirtualClock();
    const context = { ...testContext(root), clock, err: (line: string) => lines.push(line) };
    let starts = 0;
    const keeper = new OperatorKeeper(
      (onLine) => {
        starts += 1;
        return OperatorProcess.start(
          { root, file: "main.mjs", args: [], env: {} },
          context,
          onLine,
        );
      },
      1,
      context,
    );
    onTestFinished(() => keeper.stop());
    let ready = 0;
    await keeper.replace({ ready: () => (ready += 1) });
    for (const seconds of [1, 2, 4]) {
      await eventually(() => {
        expect(lines.at(-1)).toContain(`exited with code 7; it restarts in ${seconds} s`);
      });
      await clock.advance(seconds * 1000);
    }
    expect(starts).toBe(4);
    expect(ready).toBe(1);
  });

  it("starts the operator with the new code only when the one before has ended, however long that takes", async () => {
    const root = emptyFolder();
    const program = `console.log("begins"); process.on("SIGTERM", () => setTimeout(() => { console.log("ends"); process.exit(0); }, 300)); setInterval(() => undefined, 1000);`;
    writeFileSync(join(root, "main.mjs"), program);
    const context = testContext(root);
    const lines: string[] = [];
    const options = { root, file: "main.mjs", args: [], env: {} };
    const keeper = new OperatorKeeper(
      (onLine) =>
        OperatorProcess.start(options, context, (line) => {
          lines.push(line);
          onLine(line);
        }),
      1,
      context,
    );
    const begun = (count: number) =>
      eventually(() => {
        expect(lines.filter((line) => line === "begins")).toHaveLength(count);
      });
    await keeper.replace({ ready: () => undefined });
    await begun(1);
    await keeper.replace({ ready: () => undefined });
    await begun(2);
    await keeper.stop();
    expect(lines).toEqual(["begins", "ends", "begins", "ends"]);
  });
});
