import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const SRC = join(ROOT, "src");
const PAGE = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");

/** Folders with TypeScript in them, two levels deep: `runtime`, `runtime/cache`. */
function foldersOfTheCode(): string[] {
  const folders = sourceFiles().map((file) => posix.dirname(file).split("/").slice(0, 2));
  const names = folders.flatMap(([room = "", ...inner]) => [room, [room, ...inner].join("/")]);
  return [...new Set(names)].filter((name) => name !== ".").sort();
}

/** Paths from `src`, with slashes. */
function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => path.split(sep).join("/"));
}

/** `cli --> kube` for each room that imports from another. */
function arrowsOfTheCode(): string[] {
  const arrows = sourceFiles().flatMap((file) => {
    const text = readFileSync(join(SRC, file), "utf8");
    const from = roomOf(file);
    return [...text.matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)].map(([, target = ""]) => {
      const imported = relative(SRC, resolve(SRC, dirname(file), target))
        .split(sep)
        .join("/");
      return `${from} --> ${roomOf(imported)}`;
    });
  });
  return [...new Set(arrows)].filter((arrow) => !isWithin(arrow)).sort();
}

/** Empty for the files directly in `src`: the ground and the entries. */
function roomOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
}

function isWithin(arrow: string): boolean {
  const [from, to] = arrow.split(" --> ");
  return from === to || from === "" || to === "";
}

describe("docs/architecture.md", () => {
  it("names each folder of src to the second level once, deeper ones where it helps, and none that is not there", () => {
    const named = [...PAGE.matchAll(/^\| `([\w/-]+)` /gm)].map(([, folder]) => folder);
    const isDeep = (folder = ""): boolean => folder.split("/").length > 2;
    expect(named.filter((folder) => !isDeep(folder)).sort()).toEqual(foldersOfTheCode());
    const deep = named.filter(isDeep);
    expect(deep).toEqual([...new Set(deep)].filter((folder = "") => existsSync(join(SRC, folder))));
  });

  it("draws an arrow for each import between rooms, and no other", () => {
    const drawn = [...PAGE.matchAll(/^ {2}(\w+ --> \w+)$/gm)].map(([, arrow]) => arrow);
    expect([...drawn].sort()).toEqual(arrowsOfTheCode());
  });

  it("links files that exist", () => {
    const links = [...PAGE.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = ""]) => path);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((path) => !existsSync(join(ROOT, "docs", path)))).toEqual([]);
  });
});

describe("CONTRIBUTING.md", () => {
  it("names folders and files that exist", () => {
    const page = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
    const paths = [...page.matchAll(/`((?:src|test|docs|scripts|templates|examples)\/[\w/.-]*)`/g)];
    const named = paths.map(([, path = ""]) => path);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !path.includes("NNNN") && !existsSync(join(ROOT, path)))).toEqual(
      [],
    );
  });
});
