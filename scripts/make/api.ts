import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineMaker } from "../programs/program.ts";
import { apiReports } from "./api/report.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export const program = defineMaker({
  about: "Writes the report of the public API, api/, which a test compares.",
  needs: [],
  options: {},
  run: async () => {
    const reports = [...(await apiReports(root))];
    mkdirSync(`${root}api`, { recursive: true });
    for (const [path, text] of reports) writeFileSync(`${root}${path}`, text);
    return reports.map(([path]) => path);
  },
});
