import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readTable, scaffoldFigures } from "../../scripts/measure/scaffold-figures/table.ts";

it("the benchmarks page has the current size of a scaffolded project", async () => {
  const page = readFileSync(new URL("../../docs/benchmarks.md", import.meta.url), "utf8");
  expect(
    readTable(page).ours,
    "run `npm run measure -- scaffold-figures --write`, which counts anew",
  ).toEqual(await scaffoldFigures());
}, 180_000);
