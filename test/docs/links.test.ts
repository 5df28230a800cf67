/** Every link of a page leads somewhere: to a file that is there, to a heading that the page has. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { anchorsOf, linksOf, slugOf } from "../../scripts/make/site/anchors.ts";
import {
  placeOf,
  sideList,
  siteLink,
  sitePages,
  type SideItem,
} from "../../scripts/make/site/pages.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pages = sitePages(root);
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** What is wrong with a link of a page; `undefined` when nothing is. */
function problemOf(page: string, target: string): string | undefined {
  if (/^[a-z]+:/.test(target)) return problemOfExternal(target);
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : posix.join(dirname(page), path);
  if (path.startsWith("/") || file.startsWith("..")) return "leads out of the repository";
  if (!existsSync(join(root, file))) return "is not there";
  if (isPacked(page) && !isPacked(file)) return "is not in the package, and the page is";
  if (anchor === undefined) return undefined;
  if (!file.endsWith(".md")) return "has no headings";
  return anchorsOf(textOf(file)).includes(anchor) ? undefined : "has no such heading";
}

function problemOfExternal(target: string): string | undefined {
  if (!URL.canParse(target)) return "is no address";
  return new URL(target).protocol === "https:" ? undefined : "is not https";
}

/** What `files` of package.json takes in, as npm reads it. */
function isPacked(file: string): boolean {
  const { files } = JSON.parse(textOf("package.json")) as { readonly files: readonly string[] };
  if (/^(?:README\.md|LICENSE|package\.json)$/.test(file)) return true;
  const [excluded = ""] = files.filter((name) => name.startsWith("!docs/"));
  const [, names = ""] = /\{(.*)\}/.exec(excluded) ?? [];
  if (/^docs\/[\w-]+\.md$/.test(file)) return !names.split(",").includes(file.slice(5, -3));
  return files.some((name) => file === name || file.startsWith(`${name}/`));
}

describe("the links", () => {
  it.each(pages)("of %s lead somewhere", (page) => {
    const problems = linksOf(textOf(page)).flatMap(({ target, line }) => {
      const problem = problemOf(page, target);
      return problem === undefined ? [] : [`${page}:${line} ${target} ${problem}`];
    });
    expect(problems).toEqual([]);
  });

  it.each([
    ["no-such-page.md", "is not there"],
    ["testing.md#no-such-heading", "has no such heading"],
    ["design/0011-faults.md", "is not in the package, and the page is"],
    ["http://example.com", "is not https"],
    ["../../elsewhere.md", "leads out of the repository"],
  ])("would be refused where they do not: %s", (target, problem) => {
    expect(problemOf("docs/README.md", target)).toBe(problem);
  });

  it("are found in text, in tables and by name, and not in code", () => {
    const page = "[a](a.md) `[b](b.md)`\n\n```md\n[c](c.md)\n```\n\n| [d](d.md#x) |\n\n[e]: e.md\n";
    expect(linksOf(page)).toEqual([
      { target: "a.md", line: 1 },
      { target: "d.md#x", line: 7 },
      { target: "e.md", line: 9 },
    ]);
  });

  it("lead to headings by the names that GitHub gives them", () => {
    expect(slugOf("What `tsop why` says: causes, writes (and more)?")).toBe(
      "what-tsop-why-says-causes-writes-and-more",
    );
    expect(anchorsOf("# A test\n\n## A test\n\n```sh\n# no heading\n```\n")).toEqual([
      "a-test",
      "a-test-1",
    ]);
  });
});

describe("the site", () => {
  const linksIn = (items: readonly SideItem[]): string[] =>
    items.flatMap(({ link, items: below = [] }) => [...(link ? [link] : []), ...linksIn(below)]);

  it("lists every page of the package at its side, once", () => {
    const listed = linksIn(sideList(root));
    expect(new Set(listed).size).toBe(listed.length);
    const expected = pages
      .filter((page) => page.startsWith("docs/") && page !== "docs/README.md")
      .map((page) => `/${page.replace(".md", "")}`);
    expect(listed.filter((link) => link.startsWith("/docs/")).sort()).toEqual(expected.sort());
  });

  it("has a page where a link of the repository leads to one, and text where it leads to a file", () => {
    expect(placeOf("examples/myweb/README.md")).toBe("examples/myweb/index.md");
    expect(siteLink(root, "docs/README.md", "../README.md")).toBe("../index.md");
    expect(siteLink(root, "README.md", "docs/README.md")).toBe("docs/index.md");
    expect(siteLink(root, "docs/testing.md", "faults.md#x")).toBe("faults.md#x");
    expect(siteLink(root, "docs/architecture.md", "../src/index.ts")).toBeUndefined();
  });
});
