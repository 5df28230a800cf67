import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { KINDS, loadPrograms } from "../programs/folder.ts";
import { programTable } from "../programs/list.ts";
import { defineMaker } from "../programs/program.ts";
import { formatted } from "./docs/formatted.ts";
import { examplesIn, withExamples } from "./docs/guide-examples.ts";
import { errorsPage, markersPage } from "./docs/pages.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const GUIDE = "CONTRIBUTING.md";

/** The page with the present tables of the programs. */
async function withPrograms(page: string): Promise<string> {
  const tables = await Promise.all(
    KINDS.map(async (kind) => programTable(kind, await loadPrograms(kind))),
  );
  const block = `<!-- programs -->\n\n${tables.join("\n\n")}\n\n<!-- end of programs -->`;
  return page.replace(/<!-- programs -->[^]*<!-- end of programs -->/, () => block);
}

export const program = defineMaker({
  about:
    "Writes docs/markers.md, docs/errors.md, the examples of the guides, and the tables of programs in CONTRIBUTING.md.",
  needs: [],
  options: {},
  run: async () => {
    const guides = readdirSync(`${root}docs`)
      .filter((file) => file.endsWith(".md"))
      .map((file) => [`docs/${file}`, readFileSync(`${root}docs/${file}`, "utf8")] as const)
      .filter(([, page]) => examplesIn(page).length > 0);
    const pages = new Map([
      ["docs/markers.md", await formatted("markers.md", await markersPage(root))],
      ["docs/errors.md", await formatted("errors.md", errorsPage(root))],
    ]);
    for (const [path, page] of guides) pages.set(path, await withExamples(root, page));
    const guide = await withPrograms(readFileSync(`${root}${GUIDE}`, "utf8"));
    pages.set(GUIDE, await formatted(GUIDE, guide));
    for (const [path, page] of pages) writeFileSync(`${root}${path}`, page);
    return [...pages.keys()];
  },
});
