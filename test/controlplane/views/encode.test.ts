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
});
