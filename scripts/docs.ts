/**
 * Writes `docs/markers.md` and `docs/errors.md`: `node scripts/run-ts.mjs scripts/docs.ts`.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { errorsPage, markersPage } from "./docs-pages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
for (const [path, page] of [
  ["docs/markers.md", await markersPage(root)],
  ["docs/errors.md", errorsPage(root)],
] as const) {
  writeFileSync(`${root}${path}`, await format(page, { parser: "markdown", printWidth: 100 }));
  console.log(path);
}
