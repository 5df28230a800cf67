/**
 * The code that users begin with and copy has no casts, and no names that are made up where there is one: where they would be
 * needed, a type of ours is wrong.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { filesIn, newProject, runCli } from "../cli/support/run-cli.ts";
import { ROOT } from "../support/compiled.ts";
import { codeOf } from "./support/code-blocks.ts";

/** What is in the text that should not be, with its line. */
function shortcutsIn(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isCast(node) || isMadeUp(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${path}:${line + 1} ${node.getText()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** `x as T`, `<T>x`, `x!`; `x as const` says only what is there. */
function isCast(node: ts.Node): boolean {
  // A field that a page shows without its class: `replicas!: Int32`.
  if (ts.isNonNullExpression(node)) return !ts.isExpressionStatement(node.parent);
  return (
    (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)) &&
    !ts.isConstTypeReference(node.type)
  );
}

const SET_BY_SERVERS = /\bmetadata\.(name|uid|resourceVersion|creationTimestamp|generation)$/;

/** `x ?? ""`, `x || ""`, and anything else in the place of what a server sets. */
function isMadeUp(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node)) return false;
  const { QuestionQuestionToken, BarBarToken } = ts.SyntaxKind;
  const { operatorToken, left, right } = node;
  if (![QuestionQuestionToken, BarBarToken].some((kind) => operatorToken.kind === kind))
    return false;
  if (ts.isStringLiteralLike(right) && right.text === "") return true;
  return SET_BY_SERVERS.test(left.getText());
}

it("finds casts, non-null assertions and made-up texts, and nothing else", () => {
  const text = [
    'import { a as b } from "a";',
    "const one = b as string;",
    "const two = <string>b;",
    "const three = b!.c;",
    'const four = b ?? "";',
    "const five = [1] as const;",
    'const six = b ?? "none";',
    "const seven = b || ``;",
    "const eight = b.metadata.generation ?? 0;",
  ].join("\n");
  expect(shortcutsIn("a.ts", text).map((found) => found.split(" ")[0])).toEqual([
    "a.ts:2",
    "a.ts:3",
    "a.ts:4",
    "a.ts:5",
    "a.ts:8",
    "a.ts:9",
  ]);
});

/** The files of TypeScript below a folder; what is installed there is not looked into. */
function sourcesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : sourcesIn(path);
    return path.endsWith(".ts") ? [path] : [];
  });
}

describe("there is no cast, and no name that is made up,", () => {
  const pages = ["README.md", ...readdirSync(join(ROOT, "docs")).map((page) => `docs/${page}`)];
  it.each(pages.filter((page) => page.endsWith(".md")))("in the code of %s", (page) => {
    expect(shortcutsIn(page, codeOf(readFileSync(join(ROOT, page), "utf8")))).toEqual([]);
  });

  it.each(["examples", "bench/cronjob/ts"])("in %s", (folder) => {
    const sources = sourcesIn(folder);
    expect(sources.length).toBeGreaterThan(0);
    const found = sources.flatMap((path) =>
      shortcutsIn(path, readFileSync(join(ROOT, path), "utf8")),
    );
    expect(found).toEqual([]);
  });

  it("in what the commands write into a project", { timeout: 120_000 }, async () => {
    const root = await newProject();
    const widget = ["--group", "web", "--kind", "Widget"];
    const builtin = ["--group", "apps", "--version", "v1", "--kind", "Deployment"];
    const commands = [
      ["api", ...widget, "--version", "v1alpha1", "--field", "size:int32=1"],
      ["api", ...widget, "--version", "v1", "--field", "size:int32=1", "--field", "color:string?"],
      ["api", "--group", "web", "--version", "v1", "--kind", "Room", "--no-controller"],
      ["api", ...builtin, "--no-resource"],
      ["webhook", ...widget, "--version", "v1", "--defaulting", "--validation"],
      ["webhook", ...widget, "--version", "v1", "--conversion", "--spoke", "v1alpha1"],
      ["webhook", ...builtin, "--defaulting", "--validation"],
    ];
    for (const command of commands) {
      const { code, err } = await runCli(root, ["create", ...command]);
      expect([code, err]).toEqual([0, expect.not.stringContaining("error")]);
    }
    const sources = Object.entries(filesIn(root)).filter(([path]) => path.endsWith(".ts"));
    expect(sources.length).toBeGreaterThan(15);
    expect(sources.flatMap(([path, text]) => shortcutsIn(path, text))).toEqual([]);
  });
});
