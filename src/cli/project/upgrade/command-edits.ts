/**
 * The additions of commands and of the user at known places of scaffolded files: controllers and
 * webhooks in `src/main.ts`, items of the lists of kustomizations. `tsop upgrade` makes the same
 * additions to the old and to the new scaffold before it merges, so that they are no change of
 * either side.
 */
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { TsopError } from "../../../errors.ts";
import { isJsonObject } from "../../../kube/json.ts";
import { SyntaxKind } from "../../vendor/source-editor.ts";
import { openSource, withServer, withSetUp } from "../sources/main-file.ts";
import { managerStatement } from "../sources/manager-statement.ts";
import { withIndexes, withoutIndexes } from "../sources/wiring.ts";
import type { ThreeTexts } from "./merge-lines.ts";
import { parseUserYaml, withListItems } from "../yaml/user-yaml.ts";

/** A file of the frame that is upgraded. */
export interface FrameFile {
  /** The path in the project. */
  readonly path: string;
  /** Whether the file starts the operator. */
  readonly isMain: boolean;
  /** The prefix that the deployment puts before the names of the project's objects. */
  readonly namePrefix: string;
}

type Edit = (text: string) => string;

/**
 * The texts to merge, in the order in which they are to be tried: the first ones that merge without a conflict are the
 * best. The last ones are the texts as they are.
 */
export function mergeableTexts(file: FrameFile, texts: ThreeTexts): readonly ThreeTexts[] {
  const { base, theirs } = texts;
  const mine = texts.mine?.replaceAll("\r\n", "\n");
  if (base === undefined || mine === undefined || theirs === undefined) return [texts];
  const isList = basename(file.path) === "kustomization.yaml";
  return [
    ...attempt(() => {
      if (file.isMain) return mainTexts(base, mine, theirs, file.namePrefix);
      const edit = isList && editOfLists(file.path, base, mine);
      return edit && { base: edit(base), mine, theirs: edit(theirs) };
    }),
    ...attempt(() => {
      const edit = isList && editOfLists(file.path, base, theirs);
      return edit && { base: edit(base), mine: edit(mine), theirs };
    }),
    texts,
  ];
}

/**
 * The texts, or none where a text has no place for an addition: a main file without
 * `manager.start(...)`.
 */
function attempt(make: () => ThreeTexts | false): readonly ThreeTexts[] {
  try {
    const texts = make();
    return texts === false ? [] : [texts];
  } catch (error) {
    if (error instanceof TsopError) return [];
    throw error;
  }
}

/**
 * The texts with the same calls in the same order, so that only other changes are merged. A main file of an earlier tsop
 * gets the calls of the indexes.
 */
function mainTexts(base: string, mine: string, theirs: string, namePrefix: string): ThreeTexts {
  const isEarlier = withoutIndexes(base) === base;
  const own = isEarlier ? withIndexes(mine, namePrefix) : mine;
  if (mine === base) return { base: own, mine: own, theirs };
  const edit = editOfMain(own, namePrefix);
  return { base: edit(withoutIndexes(base)), mine: own, theirs: edit(withoutIndexes(theirs)) };
}

/** An edit that calls with the manager all that `mine` calls, in the same order. */
function editOfMain(mine: string, namePrefix: string): Edit {
  const file = openSource(mine);
  const modules = new Map<string, string>();
  for (const declared of file.getImportDeclarations()) {
    const from = declared.getModuleSpecifierValue();
    if (!from.startsWith(".")) continue;
    for (const named of declared.getNamedImports()) modules.set(named.getText(), from);
  }
  const edits: Edit[] = [(text) => withServer(text, namePrefix)];
  for (const statement of file.getDescendantsOfKind(SyntaxKind.ExpressionStatement)) {
    const read = managerStatement(statement);
    const setUp = read?.named.getText() ?? "";
    const from = modules.get(setUp);
    if (!read || from === undefined) continue;
    edits.push((text) => withSetUp(text, { setUp, from, form: read.form }));
  }
  return (text) => edits.reduce((now, edit) => edit(now), text);
}

/** Adds and removes the items of the top-level lists that `mine` added and removed. */
function editOfLists(path: string, base: string, mine: string): Edit {
  const [before, after] = [listsOf(path, base), listsOf(path, mine)];
  // In the order of `mine`, whose new lists stand behind the others.
  const keys = new Set([...after.keys(), ...before.keys()]);
  return (text) => {
    let now = text;
    for (const key of keys) {
      const [old, wanted] = [before.get(key) ?? [], after.get(key) ?? []];
      const there = listsOf(path, now).get(key) ?? [];
      const added = wanted.filter((item) => !has(old, item) && !has(there, item));
      const removed = old.filter((item) => !has(wanted, item));
      const kept = there.filter((item) => !has(removed, item));
      // A list that loses all items is taken away with its place.
      if (kept.length > 0) now = withoutItems(path, now, key, removed);
      now = withListItems(path, now, key, { items: [...kept, ...added], isOurs: () => true });
    }
    return now;
  };
}

const withoutItems = (path: string, text: string, key: string, items: readonly unknown[]): string =>
  withListItems(path, text, key, { items: [], isOurs: (item) => has(items, item) });

const has = (items: readonly unknown[], item: unknown): boolean =>
  items.some((one) => isDeepStrictEqual(one, item));

/** The lists at the top of a kustomization. */
function listsOf(path: string, text: string): ReadonlyMap<string, readonly unknown[]> {
  const { value } = parseUserYaml(path, text, "broken-yaml");
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return new Map(
    entries.flatMap(([key, list]) =>
      Array.isArray(list) ? [[key, list as readonly unknown[]] as const] : [],
    ),
  );
}
