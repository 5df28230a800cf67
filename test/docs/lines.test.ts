/** The table of lines in the design note of the author's API says what the examples and their Go counterparts have. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const note = readFileSync(`${root}docs/design/0013-authors-api.md`, "utf8");

/** Lines of the files below a folder that are neither blank nor comments. */
function linesOf(folder: string, file: RegExp): number {
  const path = join(root, folder);
  const files = existsSync(path) ? readdirSync(path, { encoding: "utf8", recursive: true }) : [];
  const texts = files
    .filter((name) => file.test(name))
    .map((name) => readFileSync(join(path, name), "utf8"));
  const code = texts.join("\n").replaceAll(/\/\*[^]*?\*\//g, "");
  return code.split("\n").filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length;
}

/** The goal, which one of them misses: the note says why. */
const GOAL = 0.6;
const KNOWN: Readonly<Record<string, number>> = { "mini-cert": 0.71 };

it.each(["configmonitor", "sampledb", "mini-cert"])("%s is counted as its files are", (name) => {
  const row = note.split("\n").find((line) => line.startsWith(`| \`${name}\``)) ?? "";
  const [types, reconciler, main, together, goTypes, goReconciler, goMain, goTogether, ratio] = row
    .split("|")
    .slice(2, -1)
    .map(Number);
  const written = {
    types: linesOf(`examples/${name}/src/api`, /\.ts$/),
    reconciler: linesOf(`examples/${name}/src/controllers`, /\.ts$/),
    main: linesOf(`examples/${name}/src`, /^main\.ts$/),
    goReconciler: linesOf(`bench/lines/${name}`, /_controller\.go$/),
    goTypes: linesOf(`bench/lines/${name}`, /(_types|_info)\.go$/),
  };
  expect({ types, reconciler, main, goReconciler, goTypes }).toEqual(written);
  expect(together).toBe(written.types + written.reconciler + written.main);
  expect(goTogether).toBe(written.goTypes + written.goReconciler + (goMain ?? 0));
  expect(ratio).toBeCloseTo((together ?? 0) / (goTogether ?? 1), 2);
  expect(ratio).toBeLessThanOrEqual(KNOWN[name] ?? GOAL);
});
