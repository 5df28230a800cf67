/** Writes the reports of the public API, which a test compares: `npm run api`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { apiReports } from "./api-report.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
mkdirSync(`${root}api`, { recursive: true });
for (const [path, text] of await apiReports(root)) {
  writeFileSync(`${root}${path}`, text);
  console.log(path);
}
