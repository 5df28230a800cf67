/**
 * Reading a user's YAML file, and editing a list in it, through the document tree: comments and
 * layout stay.
 *
 * @module
 */
import { isSeq, parseDocument, type Document } from "yaml";
import { TsopError } from "../../errors.ts";

/**
 * The document in `text`.
 *
 * @param code - of the error, for those who branch on it
 * @throws TsopError with the position
 */
export function parseUserYaml(path: string, text: string, code: string): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (!error) return document;
  const where = error.linePos ? `:${error.linePos[0].line}:${error.linePos[0].col}` : "";
  const what = (error.message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:$/, "");
  throw new TsopError(
    code,
    `${path}${where} is not valid YAML: ${what}.`,
    "Repair that line, or restore the file from version control; nothing was written.",
  );
}

/**
 * The text with `entry` in the top-level list `key`; the same text when it is there.
 *
 * @throws TsopError `broken-yaml` with the position
 */
export function withListEntry(path: string, text: string, key: string, entry: string): string {
  const document = parseUserYaml(path, text, "broken-yaml");
  const list = document.get(key);
  if (isSeq(list)) {
    if (list.toJSON().includes(entry)) return text;
    list.add(document.createNode(entry));
  } else {
    document.set(key, document.createNode([entry]));
  }
  return document.toString();
}

/**
 * The text without `entry` in the top-level list `key`; the same text when it is not there.
 *
 * @throws TsopError `broken-yaml` with the position
 */
export function withoutListEntry(path: string, text: string, key: string, entry: string): string {
  const document = parseUserYaml(path, text, "broken-yaml");
  const list = document.get(key);
  const at = isSeq(list) ? list.toJSON().indexOf(entry) : -1;
  if (!isSeq(list) || at === -1) return text;
  list.delete(at);
  return document.toString();
}
