import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { processContext } from "../../../src/cli/context.ts";
import { formatLogLine } from "../../../src/cli/operator/log-lines.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const time = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const plain = { ...processContext(), color: false, env: {} };

const line = (fields: object): string =>
  formatLogLine(JSON.stringify({ level: 50, time, pid: 1, hostname: "h", ...fields }), plain);

describe("formatLogLine", () => {
  it("makes one readable line of a line of pino", () => {
    expect(line({ level: 30, controller: "web", n: 2, msg: "controller started" })).toBe(
      "03:04:05.006 info  controller started controller=web n=2",
    );
  });

  it("leaves other lines as they are", () => {
    for (const text of ["hello", "{not json", '{"msg":"no level"}']) {
      expect(formatLogLine(text, plain)).toBe(text);
    }
  });

  it("shows of a stack what is the user's, and the error's words once", () => {
    const stack = [
      "TypeError: x is undefined",
      "    at reconcile (/home/me/op/src/controllers/web.ts:4:2)",
      "    at Array.forEach (<anonymous>)",
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
});
