/** Lines on their way to a descriptor that does not always take them. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../src/clock.ts";
import { LevelTable } from "../../src/logging/log-levels.ts";
import { openLog } from "../../src/logging/process-log.ts";
import { SafeLogger } from "../../src/logging/safe-logger.ts";
import { fittingFormat, LineOutput, lineSink } from "../../src/logging/standard-output.ts";
import { silentLogger } from "../../src/log.ts";

const again = (code: string): Error => Object.assign(new Error(code), { code });

/** A descriptor that takes so many bytes a call, or fails. */
function descriptor() {
  const state = { takes: Infinity, code: "EAGAIN", text: "" };
  const clock = new VirtualClock();
  const output = new LineOutput(clock, (bytes) => {
    if (state.takes === 0) throw again(state.code);
    const taken = bytes.subarray(0, state.takes);
    state.text += Buffer.from(taken).toString();
    return taken.length;
  });
  const log = new SafeLogger(
    lineSink({ clock, format: "text", output, color: false }),
    new LevelTable(),
  );
  return { state, clock, output, log };
}

describe("the output", () => {
  it("writes what is taken in parts, and waits for a descriptor that is full", async () => {
    const { state, clock, output } = descriptor();
    state.takes = 2;
    output.line("abcdefg");
    expect(state.text).toBe("abcdefg\n");
    state.takes = 0;
    output.line("one");
    output.line("two");
    await clock.advance(100);
    state.takes = 3;
    await clock.advance(20);
    expect(state.text).toBe("abcdefg\none\ntwo\n");
  });

  it("drops lines that nobody reads in time, in bounded memory, and tells how many", async () => {
    const { state, clock, log } = descriptor();
    state.takes = 0;
    for (let count = 0; count < 3000; count++) log.info("x".repeat(1000));
    state.takes = Infinity;
    await clock.advance(20);
    expect(state.text.length).toBeLessThanOrEqual(1024 * 1024);
    log.info("again");
    const [before, last, end] = state.text.split("\n").slice(-3);
    expect(before).toMatch(/\d+ log lines were dropped: standard output was not read/);
    expect([last?.slice(13), end]).toEqual(["info  again", ""]);
  });

  it("stops when nobody can read any more", async () => {
    const { state, clock, output } = descriptor();
    Object.assign(state, { takes: 0, code: "EPIPE" });
    output.line("one");
    state.takes = Infinity;
    output.line("two");
    await clock.advance(1000);
    expect(state.text).toBe("");
  });
});

describe("the settings", () => {
  it("choose text on a terminal, unless it is one of a pod", () => {
    expect(fittingFormat({}, true)).toBe("text");
    expect(fittingFormat({}, false)).toBe("json");
    expect(fittingFormat({ KUBERNETES_SERVICE_HOST: "10.0.0.1" }, true)).toBe("json");
  });

  it("come from the options, then from the environment", () => {
    const level = (env: Record<string, string>, logLevel?: "warn"): string =>
      openLog(logLevel ? { logLevel } : {}, env).levels.text;
    expect(level({})).toBe("info");
    expect(level({ TSOP_LOG_LEVEL: "debug" })).toBe("debug");
    expect(level({ TSOP_LOG_LEVEL: "debug" }, "warn")).toBe("warn");
    expect(() => openLog({}, { TSOP_LOG_LEVEL: "loud" })).toThrow(
      expect.objectContaining({ code: "bad-log-level" }),
    );
    expect(() => openLog({}, { TSOP_LOG_FORMAT: "xml" })).toThrow(
      expect.objectContaining({ code: "bad-log-format" }),
    );
  });

  it("tell that a form has no effect on a logger of the program", () => {
    const lines: unknown[] = [];
    const log = { ...silentLogger, warn: (...line: unknown[]) => void lines.push(line) };
    openLog({ log, logFormat: "text" }, {});
    openLog({ log }, { TSOP_LOG_FORMAT: "text" });
    expect(lines).toEqual([
      [{ logFormat: "text" }, expect.stringContaining("logFormat has no effect")],
    ]);
  });
});
