import { readFileSync, writeFileSync } from "node:fs";
import { defineMeasure } from "../programs/program.ts";
import {
  kubebuilderFigures,
  readTable,
  scaffoldFigures,
  withTable,
} from "./scaffold-figures/table.ts";

const PAGE = "docs/benchmarks.md";

export const program = defineMeasure({
  about: "Counts the files, lines and dependencies of a scaffolded project, and of kubebuilder's.",
  needs: [],
  words: {
    name: "FOLDER",
    about:
      "docs/book/src/getting-started/testdata/project of github.com/kubernetes-sigs/kubebuilder; the page's figures when absent",
    most: 1,
  },
  options: { write: { type: "switch", about: "write the table of docs/benchmarks.md" } },
  run: async ({ values: { write }, words: [folder] }) => {
    const text = readFileSync(PAGE, "utf8");
    const theirs = folder === undefined ? readTable(text).theirs : kubebuilderFigures(folder);
    const figures = { ours: await scaffoldFigures(), theirs };
    console.table(figures);
    if (write) writeFileSync(PAGE, withTable(text, figures));
  },
});
