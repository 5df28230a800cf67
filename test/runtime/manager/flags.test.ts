import { describe, expect, it } from "vitest";
import { parseFlags } from "../../../src/runtime/manager/flags.ts";

const FLAGS = {
  "leader-elect": { type: "boolean", help: "one works" },
  "metrics-port": { type: "port", help: "where" },
  name: { type: "string", help: "who" },
} as const;

const parse = (...args: string[]) => parseFlags(FLAGS, args);

describe("the flags of an operator", () => {
  it("are off, or nothing, when they are not given", () => {
    expect(parse()).toEqual({ "leader-elect": false, "metrics-port": undefined, name: undefined });
  });

  it("take their values in both forms, as Go's do", () => {
    expect(parse("--leader-elect", "--metrics-port=0", "--name", "a b")).toEqual({
      "leader-elect": true,
      "metrics-port": 0,
      name: "a b",
    });
    expect(parse("--leader-elect=false", "--metrics-port", "65535")).toMatchObject({
      "leader-elect": false,
      "metrics-port": 65_535,
    });
    expect(parse("--leader-elect=true", "--name=-x")).toMatchObject({
      "leader-elect": true,
      name: "-x",
    });
  });

  it.each([
    [["--bogus"], "There is no flag --bogus."],
    [["--bogus=1"], "There is no flag --bogus."],
    [["--__proto__"], "There is no flag --__proto__."],
    [["-x"], "There is no flag -x."],
    [["word"], '"word" is not a flag.'],
    [["--", "word"], '"word" is not a flag.'],
    [["--metrics-port"], "--metrics-port needs a value."],
    [["--metrics-port="], "--metrics-port needs a value."],
    [["--metrics-port", "--leader-elect"], "--metrics-port needs a value."],
    [["--metrics-port=abc"], '--metrics-port must be a port number from 0 to 65535, not "abc".'],
    [
      ["--metrics-port=65536"],
      '--metrics-port must be a port number from 0 to 65535, not "65536".',
    ],
    [["--metrics-port=-1"], '--metrics-port must be a port number from 0 to 65535, not "-1".'],
    [["--metrics-port=0x50"], '--metrics-port must be a port number from 0 to 65535, not "0x50".'],
    [["--leader-elect=maybe"], '--leader-elect is a switch and does not take "maybe".'],
    [["--name=a", "--name=b"], "--name is given twice."],
  ])("refuse %j", (args, message) => {
    expect(() => parse(...args)).toThrow(expect.objectContaining({ code: "bad-flag", message }));
  });
});
