import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readTable, scaffoldFigures } from "../../scripts/measure/scaffold-figures/table.ts";

it("the README has the size of a scaffolded project as it is", async () => {
  const page = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  expect(
    readTable(page).ours,
    "run `npm run measure -- scaffold-figures --write`, which counts anew",
  ).toEqual(await scaffoldFigures());
}, 180_000);
