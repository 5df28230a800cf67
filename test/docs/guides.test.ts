/** The examples of the guides are the modules in `guides/`, which compile and whose tests run: word for word. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { examplesIn, withExamples } from "../../scripts/make/docs/guide-examples.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const docs = readdirSync(`${root}docs`).filter((file) => file.endsWith(".md"));
const textOf = (page: string): string => readFileSync(`${root}docs/${page}`, "utf8");
const guides = docs.filter((page) => examplesIn(textOf(page)).length > 0);

describe("the guides", () => {
  it.each(guides)(
    "%s shows its examples as they are run: `npm run make -- docs` writes them",
    async (page) => {
      expect(textOf(page)).toBe(await withExamples(root, textOf(page)));
    },
  );

  it("show every example, each with its test", () => {
    const examples = readdirSync(`${root}test/docs/guides/`).filter(
      (file) => file !== "support.ts",
    );
    const shown = guides.flatMap((page) => examplesIn(textOf(page)));
    expect(shown.sort()).toEqual(examples.sort());
    for (const page of guides) {
      const name = page.replace(".md", "");
      expect(examplesIn(textOf(page))).toContain(`${name}.test.ts`);
    }
  });

  it("are in the list of questions, as all pages of the package are", () => {
    const index = textOf("README.md");
    const listed = [...index.matchAll(/\]\((?!http)([\w-]+\.md)\)/g)].map(([, page]) => page);
    // For those who work on tsop itself: not in the package.
    const elsewhere = ["README.md", "architecture.md", "next-kubernetes.md", "seeds.md"];
    const pages = docs.filter((page) => !elsewhere.includes(page));
    expect([...new Set(listed)].sort()).toEqual(pages.sort());
  });
});
