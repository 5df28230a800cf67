/**
 * The pages that are generated from the code: the markers, with their docstrings and output, and
 * the errors.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import ts from "typescript";
import { generate } from "../../../src/generator/generate.ts";
import { ERROR_EXAMPLES } from "./error-examples.ts";
import { EXAMPLES, FROM_CONTROLLER_GEN } from "./marker-examples.ts";

const HEAD = "<!-- Made by `npm run make -- docs` from the code; edit there. -->\n\n";

interface MarkerDoc {
  readonly name: string;
  readonly text: string;
  readonly example: string | undefined;
}

const SECTIONS: readonly (readonly [title: string, file: string])[] = [
  ["Values", "validation.ts"],
  ["Rules", "rules.ts"],
  ["Lists and records", "topology.ts"],
  ["Kinds", "resource.ts"],
  ["Types", "constrained.ts"],
  ["Types from elsewhere", "embed.ts"],
  ["Rights", "rbac.ts"],
  ["Webhooks", "webhook.ts"],
];

const OTHER = new Set(["CustomResource"]);

/** The text of `docs/markers.md`. */
export async function markersPage(root: string): Promise<string> {
  const parts = [
    `# Markers\n\n${HEAD}`,
    "Every marker is a decorator, checked by the compiler against what it stands on and again by `tsop manifests`. ",
    "Those on values and lists are JSDoc tags as well (`@minimum 1`), for interfaces and type aliases. ",
    "`tsop explain Minimum` shows one of them in the terminal.\n\n",
  ];
  for (const [title, file] of SECTIONS) {
    parts.push(`## ${title}\n\n`);
    for (const marker of markersIn(join(root, "src/markers", file))) {
      parts.push(await markerSection(root, marker, file));
    }
  }
  parts.push("## Coming from controller-gen\n\n| controller-gen | tsop |\n| --- | --- |\n");
  for (const { marker, here } of FROM_CONTROLLER_GEN) {
    parts.push(`| ${escape(marker)} | ${escape(here)} |\n`);
  }
  return parts.join("");
}

const escape = (text: string): string => text.replaceAll("|", "\\|");

function markersIn(path: string): MarkerDoc[] {
  const file = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2022, true);
  return file.statements.flatMap((node) => {
    const exported =
      ts.canHaveModifiers(node) &&
      ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!exported) return [];
    const isType = ts.isTypeAliasDeclaration(node) && /<.*_Keywords/s.test(node.getText());
    const declared = ts.isVariableStatement(node)
      ? node.declarationList.declarations[0]
      : ts.isFunctionDeclaration(node) || isType
        ? node
        : undefined;
    const name = declared?.name?.getText(file);
    const text = ts.getTextOfJSDocComment(
      (node as { readonly jsDoc?: readonly ts.JSDoc[] }).jsDoc?.at(-1)?.comment,
    );
    const shown = ts.getJSDocTags(node).find(({ tagName }) => tagName.text === "example");
    const example = ts.getTextOfJSDocComment(shown?.comment)?.replaceAll("`", "");
    return name === undefined || text === undefined || OTHER.has(name)
      ? []
      : [{ name, text, example }];
  });
}

/** Markers of classes have no schema of their own; their docstrings have the example. */
const WITHOUT_SCHEMA = new Set(["resource.ts", "rbac.ts", "webhook.ts"]);

async function markerSection(
  root: string,
  { name, text, example }: MarkerDoc,
  file: string,
): Promise<string> {
  const shown = /^(?:With|Str)$/.test(name) ? name : `@${name}`;
  const lines = [`### ${shown}\n\n${text}\n\n`];
  if (WITHOUT_SCHEMA.has(file)) return lines.join("");
  const source = EXAMPLES[name] ?? example;
  const emitted = source === undefined ? undefined : await emittedFor(root, name, source);
  if (source !== undefined && emitted !== undefined) {
    lines.push("```ts\n", source, "\n```\n\n```yaml\n", emitted, "```\n\n");
  }
  return lines.join("");
}

/** The schema of an example; `undefined` if it is not a whole field or class. */
async function emittedFor(
  root: string,
  name: string,
  example: string,
): Promise<string | undefined> {
  const isClass = /\bclass \w+ \{/.test(example);
  if (!isClass && !/[!?=]\s*:|: /.test(example)) return undefined;
  const names = readFileSync(join(root, "src/index.ts"), "utf8").matchAll(
    /\b(?:type )?([A-Z]\w+)\b/g,
  );
  const imports = [...new Set([...names].map(([, word]) => word))].join(", ");
  const field = isClass ? "field!: Source;" : example.endsWith(";") ? example : `${example};`;
  const source = [
    `import { ${imports} } from "tsop";`,
    'import type { OwnerReference } from "tsop/k8s";',
    "type Policy = string;",
    isClass ? example : "",
    `class Spec { ${field} }`,
    '@Resource({ group: "docs.example.com", version: "v1" })',
    "export class Example extends CustomResource<Spec> {}",
  ].join("\n");
  const folder = mkdtempSync(join(tmpdir(), "tsop-docs-"));
  try {
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/example.ts"), source);
    const { files, diagnostics } = await generate({ root: folder, cache: false });
    const [error] = diagnostics.filter(({ severity }) => severity === "error");
    if (error) throw new Error(`the example of ${name}: ${error.message}`);
    const [, crd = ""] = [...files].find(([path]) => path.includes("crd/bases")) ?? [];
    const found = parse(crd) as {
      spec: { versions: [{ schema: { openAPIV3Schema: { properties: { spec: object } } } }] };
    };
    const { spec } = found.spec.versions[0].schema.openAPIV3Schema.properties;
    return stringify({ ...spec, type: undefined }, { lineWidth: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The text of `docs/errors.md`: each error code of the source, with an example of its cause. */
export function errorsPage(root: string): string {
  const errors = new Map<string, readonly [string, string]>();
  for (const [code, { message, fix }] of Object.entries(ERROR_EXAMPLES)) {
    if (message !== undefined && fix !== undefined) errors.set(code, [message, fix]);
  }
  for (const [code, text] of errorsIn(root)) if (text && !errors.has(code)) errors.set(code, text);
  const sections = [...errors]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, [message, fix]]) => {
      const example = ERROR_EXAMPLES[code]?.example;
      const shown =
        example === undefined ? "" : `For example:\n\n\`\`\`text\n${example}\n\`\`\`\n\n`;
      return `## ${code}\n\n${message}\n\n${shown}What to do: ${fix}\n\n`;
    });
  return `# Errors\n\n${HEAD}Every error has a code. \`tsop explain CODE\` shows its section in the terminal; \`{kind}\` and the like stand for what the error names.\n\n${sections.join("")}`;
}

/** Each error code of the source, with its message and fix if they are literals. */
export function errorsIn(root: string): Map<string, readonly [string, string] | undefined> {
  const errors = new Map<string, readonly [string, string] | undefined>();
  for (const path of sourcesIn(join(root, "src"))) {
    const text = readFileSync(path, "utf8");
    if (!/"[a-z]+(?:-[a-z]+)+"/.test(text)) continue;
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
    const walk = (node: ts.Node): void => {
      if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
        for (const [code, said] of errorsOf(node, file)) {
          errors.set(code, errors.get(code) ?? said);
        }
      }
      ts.forEachChild(node, walk);
    };
    walk(file);
  }
  return errors;
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("generated"))
    .sort()
    .map((name) => join(folder, name));
}

const TELLS =
  /(?:^|\.)(?:error|warn|complain|unsupported|TsopError|UsageError|refuse|super|NoSchema)$|^findings\[/;
const CODE = /^[a-z]+(?:-[a-z0-9]+)+$/;

/** The codes, with message and fix, of a call that makes an error: three texts in a row. */
function errorsOf(
  node: ts.CallExpression | ts.NewExpression,
  file: ts.SourceFile,
): [string, readonly [string, string] | undefined][] {
  if (!TELLS.test(node.expression.getText(file))) return [];
  const args = [...(node.arguments ?? [])];
  const at = args.findIndex((argument) => codesOf(argument).length > 0);
  const [code, ...texts] = args.slice(at, at + 3);
  if (at < 0 || !code) return [];
  const [message, fix] = texts.map(textOf);
  return codesOf(code).map((one) => [one, message && fix ? [message, fix] : undefined]);
}

/** The codes of an argument; of a conditional expression, both. */
function codesOf(node: ts.Expression): string[] {
  if (ts.isConditionalExpression(node)) {
    return [...codesOf(node.whenTrue), ...codesOf(node.whenFalse)];
  }
  return ts.isStringLiteral(node) && CODE.test(node.text) ? [node.text] : [];
}

/** A text with placeholders for its expressions; of a conditional expression, the first text. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map(
      ({ expression, literal }) => placeholderOf(expression) + literal.text,
    );
    return node.head.text + parts.join("");
  }
  if (ts.isConditionalExpression(node)) return textOf(node.whenTrue) ?? textOf(node.whenFalse);
  if (ts.isCallExpression(node)) return textOf(node.arguments.at(-1) ?? node.expression);
  return undefined;
}

/** The placeholder of an expression: `{lock path}` for `lockPath`, `...` where it has no name. */
function placeholderOf(node: ts.Expression): string {
  const name = nameOf(node);
  if (name === undefined || name.length === 1) return "...";
  const words = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_/g, " ").toLowerCase();
  return `{${words.replace(/ (?:text|texts|of)$/, "")}}`;
}

/** The name of what an expression prints. */
function nameOf(node: ts.Expression): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node))
    return node.name.text.replace(/^#/, "").replace(/^length$/, "number");
  if (ts.isNonNullExpression(node) || ts.isParenthesizedExpression(node)) {
    return nameOf(node.expression);
  }
  if (ts.isBinaryExpression(node)) return nameOf(node.left);
  if (ts.isElementAccessExpression(node)) return nameOf(node.expression);
  if (!ts.isCallExpression(node)) return undefined;
  const [first] = node.arguments;
  if (ts.isPropertyAccessExpression(node.expression) && (!first || ts.isStringLiteral(first))) {
    return nameOf(node.expression.expression);
  }
  return first && nameOf(first);
}
