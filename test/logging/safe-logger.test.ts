/** The door to the log: whatever is thrown or given, each call is one line of JSON of a limited size. */
import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { TsopError } from "../../src/errors.ts";
import { LevelTable } from "../../src/logging/log-levels.ts";
import { SafeLogger } from "../../src/logging/safe-logger.ts";
import { keptLog, type Entry } from "./support.ts";

const MOST_BYTES = 8192;
const CANARY = "canary-7f3a";

/** An error as HTTP clients throw it: with the request and its headers. */
function httpError(message: string): Error {
  const config = { headers: { authorization: `Bearer ${CANARY}` }, data: CANARY };
  const request = { getHeader: () => CANARY };
  const response = { config, data: { password: CANARY } };
  return Object.assign(new Error(message), { config, request, response, isAxiosError: true });
}

/** The one line that a call writes. */
function lineOf(call: (log: SafeLogger) => void): { line: string; entry: Entry } {
  const { log, lines } = keptLog();
  call(log);
  expect(lines).toHaveLength(1);
  const [line = ""] = lines;
  expect(line.indexOf("\n")).toBe(line.length - 1);
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MOST_BYTES);
  return { line, entry: JSON.parse(line) as Entry };
}

describe("the fields of a line", () => {
  it("are level, time and message, then those of the line", () => {
    const { line } = lineOf((log) => log.child({ controller: "web" }).info({ n: 2 }, "started"));
    expect(line).toBe(
      '{"level":"info","time":"2026-01-02T03:04:05.006Z","msg":"started","controller":"web","n":2}\n',
    );
  });

  it("never take the place of level, time and message", () => {
    const { entry } = lineOf((log) => log.warn({ level: 1, time: 2, msg: 3 }, "said"));
    expect(entry).toMatchObject({ level: "warn", msg: "said", level_: 1, time_: 2, msg_: 3 });
  });
});

describe("an error", () => {
  it("has its name, message, code, stack and causes, and no field of its own", () => {
    const refused = Object.assign(httpError("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const error = Object.assign(new TypeError("cannot read the price", { cause: refused }), {
      config: CANARY,
    });
    for (const call of [
      (log: SafeLogger) => log.error({ err: error }, "it failed"),
      (log: SafeLogger) => log.error(error, "it failed"),
      (log: SafeLogger) => (log.error as (...all: unknown[]) => void)("it failed", error),
    ]) {
      const { line, entry } = lineOf(call);
      expect(line).not.toContain(CANARY);
      expect(entry).toMatchObject({
        msg: "it failed",
        err: {
          type: "TypeError",
          message: "cannot read the price",
          cause: { type: "Error", message: "connect ECONNREFUSED", code: "ECONNREFUSED" },
        },
      });
      expect((entry["err"] as Entry)["stack"]).toMatch(
        /^TypeError: cannot read the price\n\s+at .*safe-logger\.test\.ts/,
      );
    }
  });

  it("of tsop has its next step", () => {
    const error = new TsopError("no-quota", "The team has no quota.", "Delete a bucket.");
    expect(lineOf((log) => log.error({ err: error }, "a")).entry).toMatchObject({
      err: { code: "no-quota", fix: "Delete a bucket." },
    });
  });

  it("is found wherever it is among the fields", () => {
    const fields = { a: httpError("1"), b: [httpError("2")], c: { d: { e: httpError("3") } } };
    const { line, entry } = lineOf((log) => log.info(fields, "three"));
    expect(line).not.toContain(CANARY);
    expect(entry).toMatchObject({ a: { message: "1" }, c: { d: { e: { message: "3" } } } });
  });

  it("that is none is shown by its text, without its fields", () => {
    const said = (err: unknown) => lineOf((log) => log.error({ err }, "a")).entry["err"];
    expect(said("a text")).toEqual({ type: "string", message: "a text" });
    expect(said(null)).toEqual({ type: "null", message: "null" });
    expect(said({ message: "like one", token: CANARY })).toEqual({
      type: "object",
      message: "like one",
    });
    expect(said({ token: CANARY })).toEqual({ type: "object", message: "[object Object]" });
    expect(said(Symbol("x"))).toEqual({ type: "symbol", message: "Symbol(x)" });
  });

  it("with a message of two megabytes is one line, which tells how much was cut", () => {
    const huge = new Error("x".repeat(2_000_000));
    const { entry } = lineOf((log) => log.error({ err: huge }, `failed: ${huge.message}`));
    const { message, stack } = entry["err"] as { message: string; stack: string };
    expect(entry["msg"]).toMatch(/^failed: x+\.\.\. \(19\d{5} more characters\)$/);
    expect(message).toMatch(/^x+\.\.\. \(19\d{5} more characters\)$/);
    expect(stack).toMatch(/\n\s+at .*safe-logger\.test\.ts/);
  });

  it("whose causes are a circle, or do not end, is one line", () => {
    const circle = new Error("a");
    circle.cause = new Error("b", { cause: circle });
    expect(lineOf((log) => log.error({ err: circle }, "c")).entry).toMatchObject({
      err: { message: "a", cause: { message: "b" } },
    });
    let deep = new Error("0");
    for (let depth = 1; depth < 10_000; depth++) deep = new Error(String(depth), { cause: deep });
    lineOf((log) => log.error({ err: deep }, "deep"));
    const many = new AggregateError(Array.from({ length: 5000 }, (_, n) => httpError(String(n))));
    const { line, entry } = lineOf((log) => log.error({ err: many }, "many"));
    expect(line).not.toContain(CANARY);
    expect(entry).toMatchObject({
      err: { type: "AggregateError", errors: [{ message: "0" }, {}, {}, {}], moreErrors: 996 },
    });
  });

  it("never gets its source into the log, even where its stack has it", () => {
    const error = new Error("bad");
    error.stack = `/app/main.mjs:1\n${"var a=1;".repeat(10_000)}\n^\n\nError: bad\n    at f (/app/main.mjs:1:7)`;
    const { line, entry } = lineOf((log) => log.error({ err: error }, "a"));
    expect(line).not.toContain("var a");
    expect(entry).toMatchObject({ err: { stack: "Error: bad\n    at f (/app/main.mjs:1:7)" } });
  });
});

type Make = () => unknown;

const throwing = (): unknown =>
  new Proxy(new Error("proxy"), {
    get: () => {
      throw new Error("get");
    },
    getPrototypeOf: () => {
      throw new Error("prototype");
    },
    ownKeys: () => {
      throw new Error("keys");
    },
  });

const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const ODD: readonly Make[] = [
  throwing,
  revoked,
  () => Symbol("s"),
  () => () => CANARY,
  () => null,
  () => NaN,
];

/** Makes an error of one of some kinds, with fields that must not get into a log. */
function strange(kind: number, message: string, cause: Make | null, errors: Make[] | null): Error {
  const options = cause ? { cause: cause() } : {};
  const error = errors
    ? new AggregateError(
        errors.map((make) => make()),
        message,
        options,
      )
    : new Error(message, options);
  Object.assign(error, { config: { headers: { authorization: CANARY } } });
  if (kind === 0) error.cause = error;
  if (kind === 1) {
    for (const field of ["stack", "message", "name", "code", "cause"]) {
      Object.defineProperty(error, field, {
        get: () => {
          throw new Error("a getter");
        },
      });
    }
  }
  if (kind === 2) Object.assign(error, { name: "n".repeat(9000), code: "c".repeat(9000) });
  if (kind === 3) error.stack = "    at f (x)\n".repeat(9000);
  return error;
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "\u0001".repeat(3000),
    "\ud800".repeat(3000),
    "ß".repeat(9000),
    "\n".repeat(9000),
  ),
  fc.integer({ min: 1, max: 300_000 }).map((length) => "x".repeat(length)),
);

/** Makes values that are hard to write. */
const { value: hostile } = fc.letrec<{ value: Make; error: Make }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text.map((one) => () => one),
    fc
      .anything({ maxDepth: 3, withBigInt: true, withNullPrototype: true, withTypedArray: true })
      .map((one) => () => one),
    fc.constantFrom(...ODD),
    tie("error"),
    fc.array(tie("value"), { maxLength: 100 }).map((all) => () => all.map((make) => make())),
    fc
      .array(fc.tuple(text, tie("value")), { maxLength: 80 })
      .map((all) => () => Object.fromEntries(all.map(([key, make]) => [key, make()]))),
  ),
  error: fc
    .tuple(
      fc.nat(5),
      text,
      fc.option(tie("value")),
      fc.option(fc.array(tie("value"), { maxLength: 9 })),
    )
    .map((all) => () => strange(...all)),
}));

describe("whatever is logged", () => {
  it("is one line of JSON below 8 KiB, without the own fields of errors", () => {
    fc.assert(
      fc.property(hostile, hostile, fc.string({ maxLength: 20 }), (make, other, name) => {
        const given = make();
        const bound = other();
        const { log, lines } = keptLog();
        log.error({ err: given }, "1");
        log.child({ controller: "web", [name]: bound }).error({ err: given, [name]: bound }, "2");
        log.info({ fields: [given] }, typeof given === "string" ? given : "3");
        (log.warn as (...all: unknown[]) => void)(given, bound);
        expect(lines).toHaveLength(4);
        for (const line of lines) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MOST_BYTES);
          expect(line.indexOf("\n")).toBe(line.length - 1);
          expect(line).not.toContain(CANARY);
          expect(JSON.parse(line)).toMatchObject({ time: "2026-01-02T03:04:05.006Z" });
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is one line of text, too", () => {
    fc.assert(
      fc.property(hostile, (make) => {
        const given = make();
        const { log, lines } = keptLog("text");
        log.info({ given }, typeof given === "string" ? given : "text");
        expect(lines).toHaveLength(1);
        const line = lines[0]?.trimEnd();
        expect(["\n", "\u001b"].some((one) => line?.includes(one))).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a logger of the program", () => {
  it("gets plain records, which pino writes as errors of their name", () => {
    const lines: string[] = [];
    const own = pino({ base: null }, { write: (line: string) => void lines.push(line) });
    const log = SafeLogger.of(own, new LevelTable());
    log
      .child({ controller: "web" })
      .error({ err: Object.assign(new TypeError("no"), { config: CANARY }) }, "it failed");
    const [line = ""] = lines;
    expect(line).not.toContain(CANARY);
    expect(JSON.parse(line)).toMatchObject({
      level: 50,
      controller: "web",
      msg: "it failed",
      err: { type: "TypeError", message: "no" },
    });
  });

  it("decides on the level as long as no level is given", () => {
    const lines: string[] = [];
    const own = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
    const log = SafeLogger.of(own, new LevelTable());
    expect(log.isLevelEnabled("debug")).toBe(true);
    log.debug("1");
    log.levels.set("info");
    expect(log.isLevelEnabled("debug")).toBe(false);
    log.debug("2");
    expect(lines).toHaveLength(1);
    const quiet = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    expect(SafeLogger.of(quiet, new LevelTable("debug")).isLevelEnabled("debug")).toBe(false);
  });
});
