/** `tsop import` of the largest CRD of the corpus, against the parser of YAML alone: time and memory. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { hasShared, sharedPath } from "../test/support/shared.ts";
import { compare, report, run } from "./measure.ts";

const LARGEST =
  "crds/crunchydata-postgres-operator/postgresclusters.postgres-operator.crunchydata.com.yaml.gz";

/** Writes the peak memory of the process, in MiB, at its end. */
const MEMORY = `process.on("exit", () => require("fs").writeFileSync(process.env.PEAK, String(process.resourceUsage().maxRSS / 1024)));\n`;

/** Goal: one and a half times the time and the memory of a script that parses the file with the package `yaml`. */
export async function benchImport(): Promise<void> {
  if (!hasShared("corpus")) {
    console.log("import: skipped, there is no corpus beside the project");
    return;
  }
  const root = mkdtempSync(join(tmpdir(), "tsop-bench-import-"));
  const at = (name: string): string => join(root, name);
  const text = gunzipSync(readFileSync(join(sharedPath("corpus"), LARGEST)));
  writeFileSync(at("crd.yaml"), text);
  writeFileSync(at("PROJECT"), "layout: tsop/v1\nprojectName: web\ndomain: example.com\n");
  writeFileSync(at("memory.cjs"), MEMORY);
  const yaml = pathToFileURL(resolve("node_modules/yaml/dist/index.js")).href;
  writeFileSync(
    at("parse.mjs"),
    `import { readFileSync } from "node:fs";\nimport yaml from ${JSON.stringify(yaml)};\nyaml.parse(readFileSync("crd.yaml", "utf8"));\n`,
  );
  const peaks: Record<string, number> = {};
  const measured = (name: string, ...args: string[]): void => {
    process.env["PEAK"] = at(name);
    run(process.execPath, ["--require", at("memory.cjs"), ...args], root);
    peaks[name] = Number(readFileSync(at(name), "utf8"));
  };
  const times = await compare(
    {
      import: () => {
        rmSync(at("src"), { recursive: true, force: true });
        const began = performance.now();
        measured("import", resolve("bin/tsop.js"), "import", "crd.yaml");
        return performance.now() - began;
      },
      parse: () => measured("parse", at("parse.mjs")),
    },
    5,
  );
  const size = `${Math.round(text.length / 1024)} KiB`;
  report(
    `import of ${size} of YAML`,
    times["import"] ?? NaN,
    times["parse"] ?? NaN,
    "yaml alone",
    1.5,
  );
  const ratio = (peaks["import"] ?? NaN) / (peaks["parse"] ?? NaN);
  console.log(
    `${"the same, memory".padEnd(44)} ${(peaks["import"] ?? NaN).toFixed(0).padStart(6)} MiB yaml alone ${(peaks["parse"] ?? NaN).toFixed(0)} MiB  ${ratio.toFixed(2)}x  goal 1.5x ${ratio <= 1.5 ? "met" : "MISSED"}`,
  );
  rmSync(root, { recursive: true, force: true });
}
