/** The levels of the log, which change while a program runs. */
import { describe, expect, it } from "vitest";
import { LevelTable } from "../../src/logging/log-levels.ts";
import { changeLogLevel, toggleDebug } from "../../src/runtime/manager/log-level.ts";
import { keptLog } from "./support.ts";

describe("log levels", () => {
  it("leave out what is below them, for all lines and for components", () => {
    const { log, entries } = keptLog("json", "warn,controller/web=debug,cache=error");
    const web = log.child({ controller: "web" });
    for (const one of [log, web, web.child({ name: "a" }), log.child({ logger: "cache" })]) {
      one.debug("debug");
      one.info("info");
      one.warn("warn");
      one.error("error");
    }
    const count = (wanted: string): number => entries().filter(({ msg }) => msg === wanted).length;
    expect(["debug", "info", "warn", "error"].map(count)).toEqual([2, 2, 3, 4]);
    expect(log.isLevelEnabled("debug")).toBe(false);
    expect(web.isLevelEnabled("debug")).toBe(true);
  });

  it("change at once for loggers that were made before, and say so at any level", () => {
    const { log, entries } = keptLog("json", "error");
    const web = log.child({ controller: "web" });
    web.info("1");
    changeLogLevel(log, "info,controller/wbe=debug");
    web.info("2");
    expect(entries().map(({ msg }) => msg)).toEqual([
      'The log level is now info,controller/wbe=debug; it was error. No line of this process is of "controller/wbe" so far. Components are named as in controller/NAME.',
      "2",
    ]);
  });

  it("switch to debug and back", () => {
    const { log } = keptLog("json", "warn,cache=info");
    toggleDebug(log);
    expect(log.levels.text).toBe("debug");
    toggleDebug(log);
    expect(log.levels.text).toBe("warn,cache=info");
  });

  it.each(["", "loud", "info,debug", "a=info,a=warn", "=debug", "web=", "info,", "info web=debug"])(
    "refuse %j, and stay as they are",
    (text) => {
      expect(() => new LevelTable(text)).toThrow(
        expect.objectContaining({ code: "bad-log-level" }),
      );
      const levels = new LevelTable("warn");
      if (text !== "") expect(() => levels.set(text)).toThrow("cannot be used");
      expect(levels.text).toBe("warn");
    },
  );
});
