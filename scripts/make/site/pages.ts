/** The pages of the site, and its sidebar, which is the list of questions of `docs/README.md`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { linksOf } from "./anchors.ts";

/** An entry of VitePress' sidebar. */
export interface SideItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly SideItem[];
  readonly collapsed?: boolean;
}

/** Pages for contributors to tsop: not in the package, and not in the list of questions. */
const OF_THE_REPOSITORY = ["docs/architecture.md", "docs/next-kubernetes.md", "docs/seeds.md"];
const BESIDE_THE_DOCS = ["README.md", "CONTRIBUTING.md", "SECURITY.md"];

/** Every page of the site, as a path from the root of the repository. */
export function sitePages(root: string): string[] {
  const markdownIn = (folder: string): string[] =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .sort()
      .map((name) => `${folder}/${name}`);
  return [
    ...BESIDE_THE_DOCS,
    ...markdownIn("docs"),
    ...markdownIn("docs/design"),
    ...examples(root),
  ];
}

function examples(root: string): string[] {
  return readdirSync(join(root, "examples"))
    .sort()
    .map((name) => `examples/${name}/README.md`)
    .filter((path) => existsSync(join(root, path)));
}

/** The place of a page in the site: a README is the index of its folder. */
export function placeOf(page: string): string {
  return page.replace(/(^|\/)README\.md$/, "$1index.md");
}

/**
 * The groups of the sidebar: the sections of `docs/README.md`, then the pages about tsop itself.
 */
export function sideList(root: string): SideItem[] {
  const item = (page: string): SideItem => ({ text: titleOf(root, page), link: linkTo(page) });
  const sections = sectionsOf(readFileSync(join(root, "docs/README.md"), "utf8"));
  const groups: { text: string; items: SideItem[] }[] = [];
  for (const { level, title, pages } of sections) {
    const group = { text: title, items: pages.map(item) };
    const last = groups.at(-1);
    if (level === 3 && last !== undefined) last.items.push({ ...group, collapsed: false });
    else groups.push(group);
  }
  return [
    ...groups.filter(({ items }) => items.length > 0),
    { text: "Examples", collapsed: true, items: examples(root).map(item) },
    {
      text: "Design",
      collapsed: true,
      items: sitePages(root)
        .filter((page) => page.startsWith("docs/design/") || OF_THE_REPOSITORY.includes(page))
        .map(item),
    },
  ];
}

const linkTo = (page: string): string => `/${placeOf(page).replace(/(?:index)?\.md$/, "")}`;

/** The headings of the list of questions, each with the pages of its table. */
function sectionsOf(list: string): { level: number; title: string; pages: string[] }[] {
  return [...list.matchAll(/^(##+) (.+)\n([^]*?)(?=^##|$(?![^]))/gm)].map(
    ([, marks = "", title = "", text = ""]) => ({
      level: marks.length,
      title,
      pages: linksOf(text)
        .map(({ target }) => posix.join("docs", target))
        .filter((page) => /^docs\/[\w-]+\.md$/.test(page)),
    }),
  );
}

/** A page's heading up to its colon: `Status: what an object says of itself` is `Status` in a list. */
function titleOf(root: string, page: string): string {
  const [, heading = page] = /^# (.+)$/m.exec(readFileSync(join(root, page), "utf8")) ?? [];
  const [, number, rest = ""] = /^(\d{4}): (.+)$/.exec(heading) ?? [];
  if (number !== undefined) return `${Number(number)}. ${rest.replaceAll("`", "")}`;
  return heading.replace(/:.*/, "").replaceAll("`", "");
}

/**
 * The link of a page in the site; `undefined` for a file of the repository that is not in the site.
 * A target that does not exist stays as it is, and fails the build.
 */
export function siteLink(root: string, page: string, target: string): string | undefined {
  if (/^(?:[a-z]+:|#|\/)/.test(target)) return target;
  const [path = "", anchor] = target.split("#");
  const file = relative(root, join(root, dirname(page), path))
    .split(sep)
    .join("/");
  if (!sitePages(root).includes(file)) return existsSync(join(root, file)) ? undefined : target;
  const link = posix.join(posix.dirname(target.split("#")[0] ?? ""), posix.basename(placeOf(file)));
  return anchor === undefined ? link : `${link}#${anchor}`;
}
