/** Webhooks in the user's `src/main.ts`: their handlers, and the settings of their server. */
import {
  SyntaxKind,
  type CallExpression,
  type ObjectLiteralExpression,
  type SourceFile,
} from "../../vendor/source-editor.ts";
import { addedTo, spliced, type CommaList, type Splice } from "./comma-list.ts";
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
  /** The module that exports it, such as `./webhooks/myweb-validator.ts`. */
  readonly from: string;
}

/** What `tsop` exports for the server of webhooks. */
export const FLAGS = "webhookFlags";
export const OPTIONS = "webhookOptions";

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
    if (!start) throw noPlace("does not call `manager.start(...)`", call, server.lines);
    const line = `${start.manager}.webhooks.add(new ${className}());`;
    insertions.push(callBefore(file, start, line));
  }
  const edited = spliced(text, insertions);
  const names = server.insertions.length > 0 ? [FLAGS, OPTIONS] : [];
  const imported = names.reduce((now, name) => withImport(openMain(now), name, "tsop"), edited);
  return withImport(openMain(imported), className, from);
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
  if (options && /\bwebhook(?:s|Options)\b/.test(options.getText())) {
    return { insertions: [], lines: [] };
  }
  if (!options) throw noPlace("has no `createManager({ ... })`", call, lines);
  const read = callsIn(file).find((found) => found.getExpression().getText() === "readFlags");
  const flags = read && objectOf(read);
  const variable = read?.getParentIfKind(SyntaxKind.VariableDeclaration)?.getNameNode().getText();
  if (!flags || variable === undefined || !/^\w+$/.test(variable)) {
    throw noPlace("has no `const flags = readFlags({ ... })`", call, lines);
  }
  const insertions = [
    ...addedTo(propertiesOf(flags), [[spreadFlags]]),
    ...addedTo(propertiesOf(options), [[spreadOptions(variable, namePrefix)]]),
  ];
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

/** The flags of the server, as `readFlags` is given them. */
export const spreadFlags = `...${FLAGS}`;

/** The option that starts the server. */
export function spreadOptions(flags: string, namePrefix: string): string {
  return `...${OPTIONS}(${flags}, { namePrefix: "${namePrefix}" })`;
}

function noPlace(what: string, { className, from }: WebhookCall, server: readonly string[]): Error {
  return notUnderstood(`${what}, so there is no place to add the webhook`, [
    `import { ${className} } from "${from}";`,
    ...server,
    `manager.webhooks.add(new ${className}());`,
  ]);
}
