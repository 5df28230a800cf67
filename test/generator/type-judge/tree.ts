/** Source text as a tree, so that a case that fails can be made smaller in every part. */

/** The sort of a part: a part is replaced only by one of its sort. */
export type Sort = "type" | "member" | "declaration" | "mark" | "text";

/** A part of a source text. */
export interface Tree {
  readonly sort: Sort;
  /** The text, with `$0` to `$9` for the parts in it; the separator of a list. */
  readonly text: string;
  readonly parts: readonly Tree[];
  /** The least number of parts of a list; absent for any other part. */
  readonly least?: number;
}

/** A type with other types in it. */
export const type = (text: string, ...parts: readonly Tree[]): Tree => ({
  sort: "type",
  text,
  parts,
});

/** A part of any sort. */
export const tree = (sort: Sort, text: string, ...parts: readonly Tree[]): Tree => ({
  sort,
  text,
  parts,
});

/** Parts with a separator between them, of which all but `least` can be left out. */
export const list = (sort: Sort, text: string, parts: readonly Tree[], least = 0): Tree => ({
  sort,
  text,
  parts,
  least,
});

/** The text of a tree. */
export function render({ text, parts, least }: Tree): string {
  const texts = parts.map(render);
  if (least !== undefined) return texts.join(text);
  return text.replace(/\$(\d)/g, (_, index: string) => texts[Number(index)] ?? "");
}

/** All trees with one part that is smaller. */
export function* smallerTrees(tree: Tree): Generator<Tree> {
  const { sort, parts, least } = tree;
  if (sort === "type" && tree.text !== "string") {
    yield { sort, text: "string", parts: [] };
    yield* partsOfSort(tree, sort);
  }
  if (sort === "mark" && tree.text !== "") yield { sort, text: "", parts: [] };
  if (least !== undefined && parts.length > least) {
    for (const index of parts.keys()) yield { ...tree, parts: parts.toSpliced(index, 1) };
  }
  for (const [index, part] of parts.entries()) {
    for (const smaller of smallerTrees(part)) yield { ...tree, parts: parts.with(index, smaller) };
  }
}

/** The nearest parts of a sort below a tree. */
function* partsOfSort({ parts }: Tree, sort: Sort): Generator<Tree> {
  for (const part of parts) {
    if (part.sort === sort && part.least === undefined) yield part;
    else yield* partsOfSort(part, sort);
  }
}
