/**
 * Writes `docs/markers.md` and `docs/errors.md`, and the examples of the guides:
 * `node scripts/run-ts.mjs scripts/docs.ts`.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { errorsPage, markersPage } from "./docs-pages.ts";
import { formatted } from "./formatted.ts";
import { examplesIn, withExamples } from "./guide-examples.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
for (const [path, page] of [
  ["docs/markers.md", await markersPage(root)],
  ["docs/errors.md", errorsPage(root)],
] as const) {
  writeFileSync(`${root}${path}`, await formatted(path, page));
  console.log(path);
}
for (const name of readdirSync(`${root}docs`).filter((file) => file.endsWith(".md"))) {
  const path = `docs/${name}`;
  const page = readFileSync(`${root}${path}`, "utf8");
  if (examplesIn(page).length === 0) continue;
  writeFileSync(`${root}${path}`, await withExamples(root, page));
  console.log(path);
}
