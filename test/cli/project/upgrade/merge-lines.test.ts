import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { upgradeFile } from "../../../../src/cli/project/upgrade/upgrade-merge.ts";
import { mergeJson } from "../../../../src/cli/project/upgrade/merge-json.ts";
import { mergeLines, textOfMerge } from "../../../../src/cli/project/upgrade/merge-lines.ts";

const NAMES = { mine: "yours", base: "tsop 1", theirs: "tsop 2" };
const merge = (base: string, mine: string, theirs: string): string =>
  textOfMerge(mergeLines(base, mine, theirs), NAMES);
const text = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n")).map((lines) => lines.join(""));

/** A text of ten lines, some of which were replaced, taken out or followed by others. */
const edited = (side: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom("keep", "keep", "keep", "keep", "change", "drop", "add"), {
      minLength: 10,
      maxLength: 10,
    })
    .map((edits) =>
      edits
        .map((edit, index) => {
          const line = `line ${index}\n`;
          if (edit === "change") return `${side} ${index}\n`;
          if (edit === "add") return `${line}${side} after ${index}\n`;
          return edit === "drop" ? "" : line;
        })
        .join(""),
    );
const BASE = Array.from({ length: 10 }, (_, index) => `line ${index}\n`).join("");

function gitMerge(base: string, mine: string, theirs: string): string {
  const folder = mkdtempSync(join(tmpdir(), "tsop-merge-"));
  try {
    for (const [name, content] of Object.entries({ base, mine, theirs })) {
      writeFileSync(join(folder, name), content);
    }
    const labels = ["-L", NAMES.mine, "-L", NAMES.base, "-L", NAMES.theirs];
    const argv = ["merge-file", "-p", "--diff3", ...labels, "mine", "base", "theirs"];
    try {
      return execFileSync("git", argv, { cwd: folder, encoding: "utf8" });
    } catch (error) {
      return (error as { readonly stdout: string }).stdout; // It exits with the number of conflicts.
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("the merge of lines", () => {
  it("takes what one side changed, and what both changed alike", () => {
    fc.assert(
      fc.property(text, text, (base, other) => {
        expect(merge(base, base, other)).toBe(other);
        expect(merge(base, other, base)).toBe(other);
        expect(merge(base, other, other)).toBe(other);
      }),
    );
  });

  it("says the same as git merge-file, conflicts and their markers included", () => {
    fc.assert(
      fc.property(edited("mine"), edited("theirs"), (mine, theirs) => {
        expect(merge(BASE, mine, theirs)).toBe(gitMerge(BASE, mine, theirs));
      }),
      { numRuns: 150 },
    );
  });

  it("names the line of the user's text where a conflict begins", () => {
    const { conflicts } = mergeLines("a\nb\nc\n", "new\na\nmine\nc\n", "a\ntheirs\nc\n");
    expect(conflicts).toEqual([3]);
  });

  it("keeps a last line without an end apart from the markers", () => {
    expect(merge("a", "b", "c")).toBe(
      "<<<<<<< yours\nb\n||||||| tsop 1\na\n=======\nc\n>>>>>>> tsop 2\n",
    );
  });
});

describe("a comment of the scaffold that changed", () => {
  const file = { path: "config/manager/manager.yaml", isMain: false, namePrefix: "shop-" };
  const base = "# How many.\nreplicas: 1\nkind: Web\nname: shop\n";
  const theirs = "# The number of replicas.\nreplicas: 1\nkind: Web\nname: web\n";

  it("stays beside a line that the user changed, and other changes are merged", () => {
    const mine = base.replace("replicas: 1", "replicas: 3");
    expect(upgradeFile(file, { base, mine, theirs }, NAMES)).toEqual({
      text: "# How many.\nreplicas: 3\nkind: Web\nname: web\n",
    });
  });

  it("is taken where the user changed nothing beside it", () => {
    const mine = base.replace("name: shop", "name: web");
    expect(upgradeFile(file, { base, mine, theirs }, NAMES)).toEqual({ text: theirs });
  });

  it("does not hide that both changed the line below it", () => {
    const mine = base.replace("replicas: 1", "replicas: 3");
    const other = theirs.replace("replicas: 1", "replicas: 2");
    expect(upgradeFile(file, { base, mine, theirs: other }, NAMES).conflicts).toEqual([1]);
  });
});

describe("the merge of JSON", () => {
  it("takes both sides' keys, in the user's order and layout", () => {
    const base = '{"name":"shop","scripts":{"test":"vitest"},"dependencies":{"tsop":"^1"}}';
    const mine =
      '{\n\t"scripts": {\n\t\t"lint": "x",\n\t\t"test": "vitest"\n\t},\n\t"name": "shop",\n\t"dependencies": {\n\t\t"tsop": "^1",\n\t\t"pg": "8"\n\t}\n}\n';
    const theirs = '{"name":"shop","scripts":{"test":"vitest run"},"dependencies":{"tsop":"^2"}}';
    expect(mergeJson(base, mine, theirs)).toBe(
      mine.replace('"vitest"', '"vitest run"').replace("^1", "^2"),
    );
  });

  it("leaves to the merge of lines what both changed differently, and what is no JSON", () => {
    expect(mergeJson('{"a":1}', '{"a":2}', '{"a":3}')).toBeUndefined();
    expect(mergeJson('{"a":1}', '// mine\n{"a":1}', '{"a":3}')).toBeUndefined();
  });

  it("takes away what the new version takes away, unless the user changed it", () => {
    expect(mergeJson('{"a":1,"b":1}', '{"a":1,"b":1}', '{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(mergeJson('{"b":1}', '{"b":2}', "{}")).toBeUndefined();
  });
});
