/** Reading a user's YAML file, and editing a list in it: every other line stays as it is. */
import { isDeepStrictEqual } from "node:util";
import { InternalError, TsopError } from "../../../errors.ts";
import { readYaml, type YamlDocument } from "./yaml-documents.ts";
import { YamlText } from "./yaml-text.ts";

/** The most tokens: PROJECT and the kustomizations have a few hundred. */
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
    throw new TsopError(code, `${what}; expected exactly one.`, "Keep one; nothing was written.");
  }
  const [empty] = document ? [document] : readYaml("---\n", path, { code, fix });
  if (!empty) throw new InternalError("an empty YAML document was not read as one");
  return empty;
}

/** A kustomization of the user, to be edited. @throws TsopError `broken-yaml` with the position */
const editable = (path: string, text: string): YamlText =>
  new YamlText(text, (now) => parseUserYaml(path, now, "broken-yaml"));

/**
 * The text with `entry` in the top-level list `key`; the same text when it is there.
 *
 * @throws TsopError `broken-yaml` with the position
 */
export function withListEntry(path: string, text: string, key: string, entry: string): string {
  const yaml = editable(path, text);
  if (!listAt(yaml, key).includes(entry)) yaml.add([key], entry);
  return yaml.text;
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
  const yaml = editable(path, text);
  const before = listAt(yaml, key);
  const ours = [...before.keys()].filter((index) => isOurs(before[index]));
  for (const [index, at] of ours.slice(0, items.length).entries()) {
    if (!isDeepStrictEqual(before[at], items[index])) yaml.replaceAt([key], at, items[index]);
  }
  for (const at of ours.slice(items.length).reverse()) yaml.removeAt([key], at);
  for (const item of items.slice(ours.length)) yaml.add([key], item);
  return yaml.text;
}

/**
 * The text without `entry` in the top-level list `key`; the same text when it is not there.
 *
 * @throws TsopError `broken-yaml` with the position
 */
export function withoutListEntry(path: string, text: string, key: string, entry: string): string {
  const yaml = editable(path, text);
  const at = listAt(yaml, key).indexOf(entry);
  if (at !== -1) yaml.removeAt([key], at);
  return yaml.text;
}

function listAt(yaml: YamlText, key: string): readonly unknown[] {
  const list = yaml.get([key]);
  return Array.isArray(list) ? list : [];
}
