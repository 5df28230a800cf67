import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { processContext } from "../../../src/cli/context.ts";
import { terminalLine } from "../../../src/cli/terminal-text.ts";
import { formatLogEntry, parseLogEntry } from "../../../src/cli/operator/log-lines.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const time = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const plain = { ...processContext(), color: false, env: {} };

const line = (fields: object): string =>
  formatLogEntry({ level: 50, time, pid: 1, hostname: "h", ...fields }, plain)
    .map(terminalLine)
    .join("\n");

describe("formatLogEntry", () => {
  it("makes one readable line of a line of the log, or of pino: when, how bad, which controller, which object, what", () => {
    expect(line({ level: 30, n: 2, msg: "started" })).toBe("03:04:05.006 info  started n=2");
    expect(line({ level: 30, controller: "web", n: 2, msg: "controller started" })).toBe(
      "03:04:05.006 info  web  controller started n=2",
    );
    const about = { controller: "web", namespace: "default", name: "shop", reconcileID: "a1-7" };
    for (const level of [40, "warn"]) {
      expect(line({ level, ...about, msg: "no pod is ready" })).toBe(
        "03:04:05.006 warn  web default/shop  no pod is ready reconcileID=a1-7",
      );
    }
  });

  it("gives each controller a color that stays, and none where there is no terminal", () => {
    const colored = (controller: string, msg: string): string =>
      formatLogEntry({ level: 30, time, controller, msg }, { ...plain, color: true }).join("\n");
    const [start = ""] = colored("web", "x").split("web");
    expect(start).toContain("\u001b[");
    expect(colored("web", "other").startsWith(start)).toBe(true);
    expect(colored("wec", "x").split("wec")[0]).not.toBe(start);
    expect(line({ controller: "web", msg: "x" })).not.toContain("\u001b");
  });

  it("shows of a stack what is the user's, and the error's words once", () => {
    const stack = [
      "TypeError: x is undefined",
      "    at reconcile (/home/me/op/src/controllers/web.ts:4:2)",
      "    at Array.forEach (<anonymous>)",
      "    at async Promise.all (index 0)",
      `    at Controller.start (${join(ROOT, "dist/runtime/controller/controller.js")}:9:9)`,
      "    at run (/home/me/op/node_modules/tsop/dist/runtime/a.js:1:1)",
      "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
    ].join("\n");
    const err = { type: "TypeError", message: "x is undefined", stack };
    const frame = "\n        at reconcile (/home/me/op/src/controllers/web.ts:4:2)";
    expect(line({ msg: "the reconcile failed: x is undefined", err })).toBe(
      `03:04:05.006 error the reconcile failed: x is undefined${frame}`,
    );
    expect(line({ msg: "stopping", err })).toBe(
      `03:04:05.006 error stopping\n    TypeError: x is undefined${frame}`,
    );
  });

  it.each([null, 5, "text", [], { message: 5, stack: {} }, { message: null }])(
    "shows a line whose error is %j",
    (err) => {
      expect(line({ msg: "a", err })).toContain("error a");
    },
  );

  it("shows text of others in one line, and nothing that a terminal obeys", () => {
    const hostile = "\u001b[2J\u001b]0;x\u0007\nERROR\r\u009b1m\u202e";
    const shown = "\\u001b[2J\\u001b]0;x\\u0007\\nERROR\\u000d\\u009b1m\\u202e";
    const fields = {
      msg: hostile,
      [hostile]: 1,
      other: hostile,
      controller: hostile,
      name: hostile,
    };
    expect(line({ level: 30, ...fields })).toBe(
      `03:04:05.006 info  ${shown} ${shown}  ${shown} ${shown}=1 other=${shown}`,
    );
    const err = {
      message: hostile,
      stack: `Error: ${hostile}\n    at f (/home/me/${hostile}.ts:1)`,
    };
    // oxlint-disable-next-line no-control-regex -- those are what may not be there
    expect(line({ msg: "a", err })).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

describe("parseLogEntry", () => {
  it("takes no line that is not of the logger, or has no time", () => {
    for (const text of ["hello", "{not json", '{"msg":"no level"}']) {
      expect(parseLogEntry(text)).toBeUndefined();
    }
    for (const time of ["x", 1e300, null, {}, true, ""]) {
      expect(parseLogEntry(JSON.stringify({ level: 30, time, msg: "a" }))).toBeUndefined();
    }
  });
});
