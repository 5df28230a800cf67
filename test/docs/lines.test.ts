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

const GOAL = 0.6;

/** The lines of `main.go` beside those of `gateway`, whose file is there: one version less, no webhooks, no types. */
const OTHER_MAINS: Readonly<Record<string, number>> = {
  configmonitor: -2 - 7 - 2,
  sampledb: -2 - 7,
  gateway: 0,
  "mini-cert": -2 - 7 + 7,
};

it.each(["configmonitor", "sampledb", "gateway", "mini-cert"])(
  "%s is counted as its files are",
  (name) => {
    const row = note.split("\n").find((line) => line.startsWith(`| \`${name}\``)) ?? "";
    const [types, reconciler, main, together, goTypes, goReconciler, goMain, goTogether, ratio] =
      row.split("|").slice(2, -1).map(Number);
    const written = {
      types: linesOf(`examples/${name}/src/api`, /\.ts$/),
      reconciler:
        linesOf(`examples/${name}/src/controllers`, /\.ts$/) +
        linesOf(`examples/${name}/src/webhooks`, /\.ts$/),
      main: linesOf(`examples/${name}/src`, /^main\.ts$/),
      goReconciler: linesOf(`bench/lines/${name}`, /_(controller|webhook|conversion)\.go$/),
      goTypes: linesOf(`bench/lines/${name}`, /(_types|_info)\.go$/),
      goMain: linesOf("bench/lines/gateway/cmd", /^main\.go$/) + (OTHER_MAINS[name] ?? 0),
    };
    expect({ types, reconciler, main, goReconciler, goTypes, goMain }).toEqual(written);
    expect(together).toBe(written.types + written.reconciler + written.main);
    expect(goTogether).toBe(written.goTypes + written.goReconciler + written.goMain);
    expect(ratio).toBeCloseTo((together ?? 0) / (goTogether ?? 1), 2);
    expect(ratio).toBeLessThanOrEqual(GOAL);
  },
);
