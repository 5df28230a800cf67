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
} from "../../vendor/source-editor.ts";
import { addedTo, inserted, spliced, type CommaList, type Splice } from "./comma-list.ts";
import {
  callBefore,
  callsIn,
  findStart,
  notUnderstood,
  openMain,
  withImport,
} from "./main-file.ts";

/** A class that answers a webhook. */
export interface WebhookCall {
  readonly className: string;
  /** Where it is imported from, such as `./webhooks/myweb-validator.ts`. */
  readonly from: string;
}

/** The flags of the server, each with what `readFlags` is told. */
export const FLAGS: Readonly<Record<string, string>> = {
  "webhook-port": '{ type: "port", help: "answer the webhooks of the API server" }',
  "webhook-cert-path":
    '{ type: "string", help: "the folder of tls.crt and tls.key; self-managed without" }',
};
/** The name of that function. */
export const HELPER = "webhooksAt";

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
  const insertions: Splice[] = [];
  const server = serverOf(file, namePrefix, call);
  insertions.push(...server.insertions);
  if (!added) {
    const start = findStart(file);
    if (!start) throw noPlace("has no call of `manager.start(...)`", call, server.lines);
    const line = `${start.manager}.webhooks.add(new ${className}());`;
    insertions.push(callBefore(file, start, line));
  }
  const edited = spliced(text, insertions);
  const typed =
    server.insertions.length > 0
      ? withImport(openMain(edited), "type WebhookServerOptions", "tsop")
      : edited;
  return withImport(openMain(typed), className, from);
}

/** The additions for the server, as edits, and as lines for a user who has to make them. */
interface ServerEdits {
  readonly insertions: readonly Splice[];
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
  const property = serverProperty(variable);
  const missing = Object.entries(FLAGS).filter(
    ([name]) => !flags.getProperty(`"${name}"`) && !flags.getProperty(`'${name}'`),
  );
  const insertions = [
    ...addedTo(
      propertiesOf(flags),
      missing.map(([name, value]) => [`"${name}": ${value}`]),
    ),
    ...addedTo(propertiesOf(options), [property]),
  ];
  if (!file.getFunction(HELPER)) {
    const end = file.getFullText().trimEnd().length;
    insertions.push(inserted(end, `\n\n${helper(variable, namePrefix)}`));
  }
  return { insertions, lines };
}

/** The object that a call is given. */
export function objectOf(call: CallExpression): ObjectLiteralExpression | undefined {
  return call.getArguments()[0]?.asKind(SyntaxKind.ObjectLiteralExpression);
}

/** The properties of a literal, as a list in the text. */
export function propertiesOf(literal: ObjectLiteralExpression): CommaList {
  return {
    text: literal.getSourceFile().getFullText(),
    start: literal.getStart(),
    end: literal.getEnd(),
    elements: literal.getProperties().map((one) => ({ start: one.getStart(), end: one.getEnd() })),
  };
}

/** The lines of the option that starts the server. */
export function serverProperty(flags: string): string[] {
  const port = `${flags}["webhook-port"]`;
  return [`...(${port} !== undefined && {`, `  webhooks: ${HELPER}(${port}),`, "})"];
}

/** The function that makes the settings of the server. */
export function helper(flags: string, namePrefix: string): string {
  return `function ${HELPER}(port: number): WebhookServerOptions {
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
