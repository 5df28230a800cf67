/**
 * The headings of a page and the anchors that GitHub gives them: the site gives the same, so one link serves both.
 */

/** A heading's anchor, without the number that a second one of the same text gets. */
export function slugOf(heading: string): string {
  return heading
    .replaceAll(/<!--[^]*?-->/g, "")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}

/** A page without its code, which may contain the form of a heading or a link. */
function withoutCode(page: string): string {
  let fence: string | undefined;
  const lines = page.split("\n").map((line) => {
    const [mark] = /^ {0,3}(?:`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined) {
      fence = mark?.trim();
      return mark === undefined ? line : "";
    }
    if (mark?.trim() === fence && line.trim() === fence) fence = undefined;
    return "";
  });
  return lines.join("\n");
}

/** The anchors of a page, in its order. */
export function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(page).matchAll(/^#{1,6} +(.+?)\s*$/gm)].map(([, heading = ""]) => {
    // A link in a heading is its text.
    const slug = slugOf(heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1"));
    const earlier = seen.get(slug) ?? 0;
    seen.set(slug, earlier + 1);
    return earlier === 0 ? slug : `${slug}-${earlier}`;
  });
}

/** The targets of the links and images of a page, each with its line. */
export function linksOf(page: string): { readonly target: string; readonly line: number }[] {
  const text = withoutCode(page).replaceAll(/(`+)[^`]+\1/g, (code) =>
    code.replaceAll(/[^\n]/g, " "),
  );
  const inline = /\]\(\s*<?([^\s)>]+)>?(?:\s+"[^"]*")?\s*\)/g;
  const byName = /^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)>?/gm;
  return [...text.matchAll(inline), ...text.matchAll(byName)].map((match) => ({
    target: match[1] ?? "",
    line: text.slice(0, match.index).split("\n").length,
  }));
}
