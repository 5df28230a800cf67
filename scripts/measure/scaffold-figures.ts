import { readFileSync, writeFileSync } from "node:fs";
import { defineMeasure } from "../programs/program.ts";
import {
  kubebuilderFigures,
  readTable,
  scaffoldFigures,
  withTable,
} from "./scaffold-figures/table.ts";

const README = "README.md";

export const program = defineMeasure({
  about: "Counts the files, lines and dependencies of a scaffolded project, and of kubebuilder's.",
  needs: [],
  words: {
    name: "FOLDER",
    about:
      "docs/book/src/getting-started/testdata/project of github.com/kubernetes-sigs/kubebuilder; the README's figures when absent",
    most: 1,
  },
  options: { write: { type: "switch", about: "write the table of the README" } },
  run: async ({ values: { write }, words: [folder] }) => {
    const text = readFileSync(README, "utf8");
    const theirs = folder === undefined ? readTable(text).theirs : kubebuilderFigures(folder);
    const figures = { ours: await scaffoldFigures(), theirs };
    console.table(figures);
    if (write) writeFileSync(README, withTable(text, figures));
  },
});
