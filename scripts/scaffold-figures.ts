/**
 * The figures of a scaffolded project with one kind, beside the published one of kubebuilder:
 * `node scripts/run-ts.mjs scripts/scaffold-figures.ts [folder of kubebuilder's project]`, which is
 * `docs/book/src/getting-started/testdata/project` of
 * https://github.com/kubernetes-sigs/kubebuilder. Writes the table of docs/benchmarks.md; without the
 * folder, the figures of kubebuilder stay as they are.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  kubebuilderFigures,
  readTable,
  scaffoldFigures,
  withTable,
} from "./scaffold-figures/table.ts";

const PAGE = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url));

const [folder] = process.argv.slice(2);
const text = readFileSync(PAGE, "utf8");
const theirs = folder === undefined ? readTable(text).theirs : kubebuilderFigures(folder);
writeFileSync(PAGE, withTable(text, { ours: await scaffoldFigures(), theirs }));
