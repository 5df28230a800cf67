/**
 * Adding to a list in a user's YAML file, through the document tree: comments and layout stay.
 *
 * @module
 */
import { isSeq, parseDocument } from "yaml";
import { TsopError } from "../errors.ts";

/**
 * The text with `entry` in the top-level list `key`; the same text when it is there.
 *
 * @throws TsopError `broken-yaml` with the position
 */
export function withListEntry(path: string, text: string, key: string, entry: string): string {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) {
    const where = error.linePos ? `:${error.linePos[0].line}:${error.linePos[0].col}` : "";
    throw new TsopError(
      "broken-yaml",
      `${path}${where} is not valid YAML: ${error.message.split("\n")[0] ?? ""}`,
      "Repair that line and run the command again; nothing was written.",
    );
  }
  const list = document.get(key);
  if (isSeq(list)) {
    if (list.toJSON().includes(entry)) return text;
    list.add(document.createNode(entry));
  } else {
    document.set(key, document.createNode([entry]));
  }
  return document.toString();
}
