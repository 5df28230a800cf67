import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { toYaml } from "../../../src/kube/text/yaml.ts";

/** What `JSONToYAML` of sigs.k8s.io/yaml 1.6 made of these values. */
const cases = JSON.parse(readFileSync(new URL("go-yaml.json", import.meta.url), "utf8")) as {
  value: object;
  yaml: string;
}[];

describe("toYaml", () => {
  it.each(cases)("writes what go-yaml writes: $value", ({ value, yaml }) => {
    // YAML 1.1 has other meanings for these two, and PyYAML reads them so; go-yaml leaves them bare.
    expect(toYaml(value)).toBe(yaml.replace(/^- (<<|=)$/gm, '- "$1"'));
  });

  it("leaves out what is undefined, and keeps all digits", () => {
    expect(toYaml({ a: undefined, b: 9_007_199_254_740_993n, c: 2 ** 64 })).toBe(
      "b: 9007199254740993\nc: 1.8446744073709552e+19\n",
    );
  });
});
