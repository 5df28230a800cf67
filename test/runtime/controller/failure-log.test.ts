/** What the log says of reconciles that fail together because the API server is in trouble. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger, type Logger } from "../../../src/log.ts";
import { failure } from "../../../src/kube/status.ts";
import { FailureLog } from "../../../src/runtime/controller/failure-log.ts";
import { ConnectionError } from "../../../src/runtime/transport/transport.ts";

function start() {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (_: object | string, message?: string) => void lines.push(message ?? ""),
  };
  const failures = new FailureLog(clock);
  const fail = (times: number, error: (name: string) => unknown): void => {
    for (let count = 0; count < times; count++) {
      const name = `web-${count}`;
      failures.tell(log, name, error(name));
    }
  };
  return { clock, lines, fail };
}

describe("the log of failed reconciles", () => {
  it.each([
    ["no connection", () => new ConnectionError("refused", "https://10.0.0.1", "no")],
    ["an overloaded server", () => failure(429, "TooManyRequests", "too many requests")],
    ["a server without its storage", () => failure(500, "InternalError", "etcdserver: timeout")],
    [
      "a proxy that answers nonsense",
      (name: string) => failure(502, "InternalError", `PATCH /api/v1/pods/${name}: not JSON`),
    ],
    ["refused credentials", () => failure(401, "Unauthorized", "Unauthorized")],
    [
      "a right that is missing",
      (name: string) =>
        failure(
          403,
          "Forbidden",
          `services "${name}" is forbidden: User "a" cannot patch resource "services" in API group "" in the namespace "webs"`,
        ),
    ],
    [
      "a namespace that is being deleted",
      (name: string) =>
        failure(403, "Forbidden", `services "${name}" is forbidden: namespace webs`, {
          causes: [
            { reason: "NamespaceTerminating", message: "namespace webs is being terminated" },
          ],
        }),
    ],
  ])("says once in ten seconds that there is %s, and for how many", async (_, error) => {
    const { clock, lines, fail } = start();
    fail(300, error);
    expect(lines).toHaveLength(1);
    await clock.advance(9_999);
    fail(1, error);
    expect(lines).toHaveLength(1);
    await clock.advance(1);
    fail(1, error);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(
      "(300 more reconciles failed with this error since it was last logged)",
    );
  });

  it("tells another failure of the server at once", () => {
    const { lines, fail } = start();
    fail(2, () => failure(500, "InternalError", "etcdserver: timeout"));
    fail(2, () => failure(503, "ServiceUnavailable", "no endpoints"));
    expect(lines).toHaveLength(2);
  });

  it("says each failure of an object, however often", () => {
    const { lines, fail } = start();
    fail(3, () => new Error("the spec makes no sense"));
    fail(3, () => failure(422, "Invalid", "spec.image: Required value"));
    fail(3, () => failure(403, "Forbidden", "admission webhook denied the request: no"));
    expect(lines).toHaveLength(9);
  });

  it("has no fields of an error of the server that say its message once more", () => {
    const error = failure(422, "Invalid", "spec.image: Required value", { name: "web" });
    expect(Object.keys(error).sort()).toEqual(["code", "name", "reason"]);
  });
});
