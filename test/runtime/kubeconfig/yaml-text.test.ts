import { describe, expect, it } from "vitest";
import { TsopError } from "../../../src/errors.ts";
import { parseKubeconfig } from "../../../src/runtime/kubeconfig/kubeconfig.ts";
import { readYamlText, YamlTextError } from "../../../src/runtime/kubeconfig/yaml-text.ts";

describe("The line of a mistake in a kubeconfig", () => {
  it.each([
    ["JSON", '{\n"clusters": [\n{"name": "c"},\n{"name": "d", "cluster":\n{"server": 5}}]}', 5],
    ["JSON indented by tabs", '{\n\t"clusters":\n\t[{"cluster": {"server":\n\t5}}]}', 4],
    [
      "JSON that says a field twice",
      '{"clusters": [],\n"clusters":\n[{"cluster": {"server":\n5}}]}',
      4,
    ],
    [
      "JSON with escaped names",
      '{"cl\\u0075sters": [{"\\"": "\\\\",\n"cluster": {"server":\n5}}]}',
      3,
    ],
    [
      "JSON with marks in texts",
      '{"a": "[{\\",\\\\",\n"clusters": [{"cluster": {"server":\n5}}]}',
      3,
    ],
    [
      "JSON whose list has lists",
      '{"a": [[1, 2],\n[]],\n"clusters": [{"cluster": {"server": -5e3}}]}',
      3,
    ],
    ["YAML", "a: b\nclusters:\n- cluster:\n    server: 5\n", 4],
  ])("is told for %s", (_what, text, line) => {
    const place =
      /clusters\[\d\]\.cluster\.server of the given kubeconfig, line (\d+) must be text/;
    const message = failure(text);
    expect(message).toMatch(place);
    expect(place.exec(message)?.[1]).toBe(String(line));
  });

  it("is that of what is around a field that is not there", () => {
    const text = '{\n"contexts": [\n{"name": "a"},\n{"name": "a"}]}';
    expect(readYamlText(text).lineOf(["contexts", 1, "context", "user"])).toBe(4);
    expect(readYamlText(text).lineOf(["users"])).toBe(1);
  });
});

describe("Text that is no YAML", () => {
  it("is read up to its first mistake", () => {
    // 30 MB that are wrong on the second line, and on all others.
    expect(() => readYamlText(`a: b\n${"}]\n".repeat(10_000_000)}`)).toThrow(
      new YamlTextError("line 2 is not YAML (bad token)"),
    );
  });

  it("may not have more tokens than a kubeconfig can have", () => {
    expect(() => readYamlText("#\n".repeat(250_001))).toThrow(
      new YamlTextError("it has more than 500000 tokens"),
    );
  });
});

function failure(text: string): string {
  try {
    parseKubeconfig(text);
  } catch (error) {
    if (error instanceof TsopError) return error.message;
    throw error;
  }
  throw new Error("the kubeconfig was taken");
}
