/** What the terminal shows of an error that comes again and again. */
import { describe, expect, it } from "vitest";
import { LogPrinter } from "../../../src/cli/operator/log-printer.ts";
import { VirtualClock } from "../../../src/clock.ts";
import { ItemExponentialFailureRateLimiter } from "../../../src/runtime/queue/rate-limiters.ts";
import { testContext } from "../support/run-cli.ts";

const FRAME = "    at WebReconciler.reconcile (/home/me/op/src/controllers/web.ts:4:2)";

/** A printer whose lines are kept, with the seconds at which they came. */
function start(env: Readonly<Record<string, string>> = {}) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const out = (line: string): void => {
    // The lines of an error follow it.
    if (line.startsWith("    ")) lines.push(`${lines.pop() ?? ""}\n${line}`);
    else
      lines.push(
        `${(clock.monotonicMs() / 1000).toFixed(1)}: ${line.slice("03:04:05.006 ".length)}`,
      );
  };
  const printer = new LogPrinter({ ...testContext("/"), clock, env, out });
  const fail = (key = "default/shop", message = "x is undefined", more = {}): void => {
    const err = { type: "TypeError", message, stack: `TypeError: ${message}\n${FRAME}` };
    const msg = `the reconcile failed: ${message}`;
    const [namespace, name] = key.split("/");
    const object = { controller: "web", namespace, name };
    const time = new Date(clock.now()).toISOString();
    const entry = { level: "error", time, msg, ...object, err, ...more };
    printer.print(JSON.stringify(entry));
  };
  return { clock, lines, printer, fail };
}

const again = (count: string): string =>
  `error web default/shop  the reconcile failed: x is undefined (${count})`;
const inFull = (key: string): string =>
  `error web ${key}  the reconcile failed: x is undefined\n    ${FRAME}`;

describe("LogPrinter", () => {
  it("tells an error in full, then counts what the retries of the work queue say of it", async () => {
    const { clock, lines, fail } = start();
    const limiter = new ItemExponentialFailureRateLimiter();
    fail();
    while (clock.monotonicMs() < 30_000) {
      await clock.advance(limiter.when("default/shop"));
      fail();
    }
    await clock.advance(0);
    expect(lines).toEqual([
      `0.0: ${inFull("default/shop")}`,
      `1.0: ${again("7 more times")}`,
      `3.0: ${again("2 more times")}`,
      `7.0: ${again("once more")}`,
      `12.0: ${again("once more")}`,
      `20.5: ${again("once more")}`,
      `41.0: ${again("once more")}`,
    ]);
  });

  it("counts the same error of other objects, whose names it may say, and names three of them", async () => {
    const { clock, lines, fail } = start();
    for (const name of ["a1", "b2", "c3", "d4", "e5"]) fail(`default/${name}`, `no pod of ${name}`);
    await clock.advance(1000);
    expect(lines.slice(1)).toEqual([
      "1.0: error web  the reconcile failed: no pod of e5 (4 more times: default/b2, default/c3, default/d4 and 1 more)",
    ]);
  });

  it("adds those that the operator has counted itself", async () => {
    const { clock, lines, fail } = start();
    fail();
    fail("default/shop", "x is undefined", { others: 40 });
    await clock.advance(1000);
    expect(lines[1]).toContain("41 more times");
  });

  it("tells in full another error, and one that stayed away for five minutes", async () => {
    const { clock, lines, fail } = start();
    fail();
    fail("default/shop", "y is undefined");
    expect(lines).toHaveLength(2);
    await clock.advance(300_001);
    fail();
    expect(lines[2]).toBe(`300.0: ${inFull("default/shop")}`);
  });

  it("says what it has counted when the operator ends", () => {
    const { lines, printer, fail } = start();
    fail();
    fail();
    printer.end();
    expect(lines[1]).toBe(`0.0: ${again("once more")}`);
    printer.end();
    expect(lines).toHaveLength(2);
  });

  it("tells everything with TSOP_DEBUG, and lines again that are no errors of a controller", () => {
    const debugged = start({ TSOP_DEBUG: "1" });
    debugged.fail();
    debugged.fail();
    expect(debugged.lines[1]).toBe(debugged.lines[0]);
    const { lines, printer } = start();
    const time = 0;
    for (const entry of [
      { level: 30, time, controller: "web", msg: "done" },
      { level: 50, time, err: { message: "no route" }, msg: "the watch failed" },
    ]) {
      printer.print(JSON.stringify(entry));
      printer.print(JSON.stringify(entry));
    }
    printer.print("hello");
    printer.print("hello");
    expect(lines.filter((line, index) => line === lines[index + 1])).toHaveLength(3);
  });
});
