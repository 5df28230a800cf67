/**
 * Webhooks in the user's `src/main.ts`: what answers them, and the settings of their server.
 *
 * @module
 */
import {
  SyntaxKind,
  type CallExpression,
  type ObjectLiteralExpression,
  type SourceFile,
} from "../vendor/source-editor.ts";
import {
  addImport,
  callBefore,
  callsIn,
  findStart,
  insertAll,
  notUnderstood,
  openMain,
  type Insertion,
} from "./main-file.ts";

/** A class that answers a webhook. */
export interface WebhookCall {
  readonly className: string;
  /** Where it is imported from, such as `./webhooks/myweb-validator.ts`. */
  readonly from: string;
}

const FLAGS: Readonly<Record<string, string>> = {
  "webhook-port": '{ type: "port", help: "answer the webhooks of the API server" }',
  "webhook-cert-path":
    '{ type: "string", help: "the folder of tls.crt and tls.key; self-managed without" }',
};
const HELPER = "webhooksAt";

/**
 * The text of `src/main.ts` with the webhook added, and with the server for it; the same text when both are there.
 *
 * @param namePrefix - what the deployment puts before the names of the project's objects
 * @throws TsopError `main-not-understood` when there is no place for them, with the lines to add
 */
export function withWebhook(text: string, call: WebhookCall, namePrefix: string): string {
  const file = openMain(text);
  const { className, from } = call;
  const added = file
    .getDescendantsOfKind(SyntaxKind.NewExpression)
    .some((found) => found.getExpression().getText() === className);
  const insertions: Insertion[] = [];
  const server = serverOf(file, namePrefix, call);
  insertions.push(...server.insertions);
  if (!added) {
    const start = findStart(file);
    if (!start) throw noPlace("has no call of `manager.start(...)`", call, server.lines);
    const line = `${start.manager}.webhooks.add(new ${className}());`;
    insertions.push(callBefore(file, start, line));
  }
  insertAll(file, insertions);
  if (server.insertions.length > 0) addImport(file, "type WebhookServerOptions", "tsop");
  addImport(file, className, from);
  return file.getFullText();
}

/** What has to be added for the server, as edits, and as lines for a user who has to do it. */
interface ServerEdits {
  readonly insertions: readonly Insertion[];
  readonly lines: readonly string[];
}

function serverOf(file: SourceFile, namePrefix: string, call: WebhookCall): ServerEdits {
  const create = callsIn(file).find((found) => found.getExpression().getText() === "createManager");
  const options = create && objectOf(create);
  const lines = [
    `webhooks: { port: 9443, certificate: { selfManaged: { namePrefix: "${namePrefix}" } } }`,
  ];
  if (options && /\bwebhooks\b/.test(options.getText())) return { insertions: [], lines: [] };
  if (!options) throw noPlace("has no `createManager({ ... })`", call, lines);
  const read = callsIn(file).find((found) => found.getExpression().getText() === "readFlags");
  const flags = read && objectOf(read);
  const variable = read?.getParentIfKind(SyntaxKind.VariableDeclaration)?.getNameNode().getText();
  if (!flags || variable === undefined || !/^\w+$/.test(variable)) {
    throw noPlace("has no `const flags = readFlags({ ... })`", call, lines);
  }
  const port = `${variable}["webhook-port"]`;
  const property = [`...(${port} !== undefined && {`, `  webhooks: ${HELPER}(${port}),`, "})"];
  const missing = Object.entries(FLAGS).filter(
    ([name]) => !flags.getProperty(`"${name}"`) && !flags.getProperty(`'${name}'`),
  );
  const insertions = [
    ...propertiesIn(
      flags,
      missing.map(([name, value]) => [`"${name}": ${value}`]),
    ),
    ...propertiesIn(options, [property]),
  ];
  if (!file.getFunction(HELPER)) {
    const end = file.getFullText().trimEnd().length;
    insertions.push({ at: end, text: helper(variable, namePrefix) });
  }
  return { insertions, lines };
}

function objectOf(call: CallExpression): ObjectLiteralExpression | undefined {
  return call.getArguments()[0]?.asKind(SyntaxKind.ObjectLiteralExpression);
}

/** Edits that add properties at the end of a literal, in its own layout; each property is given by its lines. */
function propertiesIn(
  literal: ObjectLiteralExpression,
  properties: readonly (readonly string[])[],
): Insertion[] {
  if (properties.length === 0) return [];
  const last = literal.getProperties().at(-1);
  const text = literal.getSourceFile().getFullText();
  const closing = literal.getEnd() - 1;
  const lineStart = text.lastIndexOf("\n", closing - 1) + 1;
  const indent = text.slice(lineStart, closing);
  const comma =
    last && !/^\s*,/.test(withoutComments(text.slice(last.getEnd(), closing)))
      ? [{ at: last.getEnd(), text: "," }]
      : [];
  if (indent.trim() !== "" || lineStart === 0) {
    // On one line.
    const added = properties.map((lines) => lines.map((line) => line.trim()).join(" ")).join(", ");
    const closed = text.slice(literal.getStart() + 1, closing).endsWith(" ")
      ? closing - 1
      : closing;
    return [...comma, { at: closed, text: ` ${added}${last && closed < closing ? "" : " "}` }];
  }
  const added = properties.flatMap((lines) =>
    lines.map((line, index) => `${indent}  ${line}${index === lines.length - 1 ? "," : ""}\n`),
  );
  return [...comma, { at: lineStart, text: added.join("") }];
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");

function helper(flags: string, namePrefix: string): string {
  return `

function ${HELPER}(port: number): WebhookServerOptions {
  const folder = ${flags}["webhook-cert-path"];
  if (folder === undefined) {
    return { port, certificate: { selfManaged: { namePrefix: "${namePrefix}" } } };
  }
  const certificate = { certFile: \`\${folder}/tls.crt\`, keyFile: \`\${folder}/tls.key\` };
  return { port, certificate };
}`;
}

function noPlace(what: string, { className, from }: WebhookCall, server: readonly string[]): Error {
  return notUnderstood(`${what}, so there is no place to add the webhook`, [
    `import { ${className} } from "${from}";`,
    ...server,
    `manager.webhooks.add(new ${className}());`,
  ]);
}
