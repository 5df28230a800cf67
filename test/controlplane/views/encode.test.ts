import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { encode } from "../../../src/controlplane/views/encode.ts";

describe("encode", () => {
  it("writes JSON with a line break at its end", () => {
    expect(encode({ a: 1 }, "application/json")).toBe('{"a":1}\n');
  });

  it("writes YAML with sorted keys, flat lists, and quotes around what could be misread", () => {
    const value = {
      verbs: ["get"],
      kind: "x",
      time: "2026-01-01T00:00:00Z",
      yes: "no",
      ".": {},
      number: "1",
    };
    expect(encode(value, "application/yaml")).toBe(
      `.: {}\nkind: x\nnumber: "1"\ntime: "2026-01-01T00:00:00Z"\nverbs:\n- get\n"yes": "no"\n`,
    );
    expect(parse(encode(value, "application/yaml"))).toEqual(value);
  });

  it("writes numbers in YAML as Go prints them", () => {
    const numbers = [9_007_199_254_740_993n, 123456789.125, 1e-7, 2 ** 64, 2 ** 63, 1e21, 1.5];
    expect(encode({ n: numbers }, "application/yaml")).toBe(
      [
        '"n":',
        "- 9007199254740993",
        "- 1.23456789125e+08",
        "- 1e-07",
        "- 1.8446744073709552e+19",
        "- 9223372036854776000",
        "- 1e+21",
        "- 1.5",
        "",
      ].join("\n"),
    );
  });
});
