/**
 * Reading a user's YAML file, and editing a list in it, through the document tree: comments and
 * layout stay.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { isSeq } from "yaml";
import { InternalError, TsopError } from "../../errors.ts";
import { readYaml, type YamlDocument } from "./yaml-documents.ts";

/** PROJECT and the kustomizations have a few hundred. */
const MAX_TOKENS = 500_000;

/**
 * The document in `text`, with its value.
 *
 * @param code - of the error, for those who branch on it
 * @throws TsopError with the position
 */
export function parseUserYaml(path: string, text: string, code: string): YamlDocument {
  const fix = "Repair that line, or restore the file from version control; nothing was written.";
  const [document, second] = readYaml(text, path, { code, fix, maxTokens: MAX_TOKENS });
  if (second) {
    const what = `${path} has more than one YAML document`;
    throw new TsopError(code, `${what}, where one is expected.`, "Keep one; nothing was written.");
  }
  const [empty] = document ? [document] : readYaml("---\n", path, { code, fix });
  if (!empty) throw new InternalError("an empty YAML document was not read as one");
  return empty;
}

/**
 * The text with `entry` in the top-level list `key`; the same text when it is there.
 *
 * @throws TsopError `broken-yaml` with the position
 */
export function withListEntry(path: string, text: string, key: string, entry: string): string {
  const { tree: document } = parseUserYaml(path, text, "broken-yaml");
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
 * The text with exactly `items` among those of the top-level list `key` that are ours; the others stay. The same text
 * when it is so already.
 *
 * @throws TsopError `broken-yaml` with the position
 */
export function withListItems(
  path: string,
  text: string,
  key: string,
  {
    items,
    isOurs,
  }: { readonly items: readonly unknown[]; readonly isOurs: (item: unknown) => boolean },
): string {
  const { tree: document, value } = parseUserYaml(path, text, "broken-yaml");
  const list = document.get(key);
  const before: unknown = (value as Record<string, unknown> | null)?.[key];
  const listed: readonly unknown[] = Array.isArray(before) ? before : [];
  if (isDeepStrictEqual(listed.filter(isOurs), items)) return text;
  const nodes = items.map((item) => document.createNode(item));
  if (isSeq(list)) {
    list.items = [...list.items.filter((_item, index) => !isOurs(listed[index])), ...nodes];
    if (list.items.length === 0) document.delete(key);
  } else {
    document.set(key, document.createNode(items));
  }
  return document.toString();
}

/**
 * The text without `entry` in the top-level list `key`; the same text when it is not there.
 *
 * @throws TsopError `broken-yaml` with the position
 */
export function withoutListEntry(path: string, text: string, key: string, entry: string): string {
  const { tree: document } = parseUserYaml(path, text, "broken-yaml");
  const list = document.get(key);
  const at = isSeq(list) ? list.toJSON().indexOf(entry) : -1;
  if (!isSeq(list) || at === -1) return text;
  list.delete(at);
  return document.toString();
}
