/** The code in the pages about the runtime compiles as it stands: the blocks of a page are one module. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const PAGES = [
  "controllers",
  "caches",
  "errors-and-retries",
  "leader-election-and-sharding",
  "helpers",
  "own-metrics",
  "pods",
  "testing",
  "versions",
  "webhooks",
];

const pathOf = (page: string): string => join(root, "docs", `${page}.ts`);

/** The blocks of a page, each on the lines that it has there. */
function moduleOf(page: string): string {
  const lines = readFileSync(join(root, "docs", `${page}.md`), "utf8").split("\n");
  let inside = false;
  const kept = lines.map((line) => {
    const fence = line.startsWith("```");
    if (fence) inside = line === "```ts";
    return inside && !fence ? line : "";
  });
  return kept.join("\n");
}

describe("the code in the pages", { timeout: 120_000 }, () => {
  const modules = new Map(PAGES.map((page) => [pathOf(page), moduleOf(page)]));
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (path) =>
    readFileSync(path, "utf8"),
  ) as { config: { compilerOptions: Record<string, unknown> } };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const settings: ts.CompilerOptions = {
    ...options,
    noEmit: true,
    composite: false,
    incremental: false,
    noUnusedLocals: false,
    paths: {
      tsop: [join(root, "src/index.ts")],
      "tsop/k8s": [join(root, "src/k8s.ts")],
      "tsop/testing": [join(root, "src/testing.ts")],
    },
  };
  const host = ts.createCompilerHost(settings);
  const fileExists = host.fileExists.bind(host);
  const getSourceFile = host.getSourceFile.bind(host);
  host.fileExists = (path) => modules.has(path) || fileExists(path);
  host.getSourceFile = (path, target, onError) => {
    const text = modules.get(path);
    return text === undefined
      ? getSourceFile(path, target, onError)
      : ts.createSourceFile(path, text, target);
  };

  it("compiles", () => {
    const program = ts.createProgram([...modules.keys()], settings, host);
    const problems = [...modules.keys()].flatMap((path) => {
      const file = program.getSourceFile(path);
      const found = [
        ...program.getSyntacticDiagnostics(file),
        ...program.getSemanticDiagnostics(file),
      ];
      return found.map(({ start = 0, messageText }) => {
        const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
        return `${path.slice(root.length)}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
      });
    });
    expect(problems).toEqual([]);
  });

  it.each(PAGES)("%s has some", (page) => {
    expect(modules.get(pathOf(page))?.trim()).not.toBe("");
  });
});
