/**
 * The result of `tsop upgrade` for each file: from the scaffolded text, the user's, and the text
 * that this tsop scaffolds.
 */
import { mergeableTexts, type FrameFile } from "./command-edits.ts";
import { mergeJson } from "./merge-json.ts";
import {
  mergeLines,
  textOfMerge,
  withCommentsOf,
  type SideNames,
  type ThreeTexts,
} from "./merge-lines.ts";
import { digestOf } from "../scaffold/scaffolded.ts";

/** The result of a merge for one file. */
export interface Upgraded {
  /** The text that it gets; `undefined` where it goes or is not there. */
  readonly text: string | undefined;
  /** A note for the user, as a clause after the file's name. */
  readonly note?: string;
  /** The lines of the user's file where both sides changed the same. */
  readonly conflicts?: readonly number[];
  /** The new text without the user's changes, where there are conflicts. */
  readonly theirs?: string;
}

/**
 * Merges one file. Nothing of the user's is lost but the layout of a file whose content is still
 * the scaffolded one.
 */
export function upgradeFile(file: FrameFile, texts: ThreeTexts, names: SideNames): Upgraded {
  const mergeable = mergeableTexts(file, texts);
  const tried = [...mergeable, ...mergeable.map(withOldComments)].map((three) =>
    mergeTexts(file.path, three, names),
  );
  return tried.find(({ conflicts }) => !conflicts) ?? tried[0] ?? { text: texts.mine };
}

/** The texts without changes of the scaffold's comments: beside a line that the user changed, they are not worth a conflict. */
const withOldComments = ({ base, mine, theirs }: ThreeTexts): ThreeTexts => ({
  base,
  mine,
  theirs: base === undefined || theirs === undefined ? theirs : withCommentsOf(base, theirs),
});

function mergeTexts(path: string, texts: ThreeTexts, names: SideNames): Upgraded {
  const { base, theirs } = texts;
  const mine = texts.mine?.replaceAll("\r\n", "\n");
  if (mine === theirs || base === theirs) return { text: texts.mine };
  if (base === undefined) {
    if (mine === undefined) return { text: theirs };
    return { text: mine, note: "is yours and is kept; tsop now also has a file with this name" };
  }
  if (mine === undefined)
    return { text: undefined, note: "changed, but you deleted it: it stays deleted" };
  const isUnchanged = mine === base || saysTheSame(path, mine, base);
  if (theirs === undefined) {
    if (isUnchanged) return { text: undefined };
    return { text: mine, note: "is no longer scaffolded, but you changed it: it is kept" };
  }
  if (mine === base) return { text: theirs };
  // Only the layout differs: the user's stays.
  if (saysTheSame(path, base, theirs)) return { text: texts.mine };
  if (path.endsWith(".json")) {
    const text = mergeJson(base, mine, theirs);
    if (text !== undefined) return { text };
  }
  const merged = mergeLines(base, mine, theirs);
  if (merged.conflicts.length === 0) return { text: textOfMerge(merged, names) };
  if (isUnchanged) return { text: theirs, note: "is formatted as the scaffold formats it" };
  return { text: textOfMerge(merged, names), conflicts: merged.conflicts, theirs };
}

/** Whether a formatter could have made one of the other. */
function saysTheSame(path: string, one: string, other: string): boolean {
  if (!/\.(ts|ya?ml)$/.test(path)) return false;
  try {
    return digestOf(path, one) === digestOf(path, other);
  } catch {
    return false; // The user's file is not YAML at the moment.
  }
}
