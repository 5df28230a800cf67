import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { exampleNames } from "../../support/example.ts";
import { emptyFolder, runCli } from "../support/run-cli.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const MEGABYTE = 1_000_000;
/** Packages of an example's own, in bytes of its bundle. */
const OWN_PACKAGES: Readonly<Record<string, number>> = {
  // Its converter brings the checks of schemas and rules in CEL.
  gateway: 200_000,
  // acme-client, with node-forge, axios and the media types of mime-db.
  "mini-cert": 900_000,
};

it.each(exampleNames())(
  "bundles the example %s into less than a megabyte and its own packages, with a map to its sources",
  async (name) => {
    const root = emptyFolder();
    for (const path of ["PROJECT", "package.json", "tsconfig.json", "src"]) {
      cpSync(join(repository, "examples", name, path), join(root, path), { recursive: true });
    }
    mkdirSync(join(root, "node_modules"));
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    for (const one of Object.keys(dependencies)) {
      const source = one === "tsop" ? repository : join(repository, "node_modules", one);
      symlinkSync(source, join(root, "node_modules", one), "junction");
    }
    expect(await runCli(root, ["build"])).toMatchObject({ code: 0, err: "" });
    const bundle = readFileSync(join(root, "dist/main.mjs"), "utf8");
    expect(Buffer.byteLength(bundle)).toBeLessThan(MEGABYTE + (OWN_PACKAGES[name] ?? 0));
    const { sources, sourcesContent } = JSON.parse(
      readFileSync(join(root, "dist/main.mjs.map"), "utf8"),
    ) as { sources: string[]; sourcesContent: (string | null)[] };
    expect(sources).toContain("../src/main.ts");
    // Node keeps the map in memory: the text of packages would be two thirds of it.
    const texts = sources.filter((_, index) => sourcesContent[index] !== null);
    expect(texts.filter((source) => !source.startsWith("../src/"))).toEqual([]);
    expect(sourcesContent[sources.indexOf("../src/main.ts")]).toContain("createManager");
    // Callers that are mapped would make Node parse all of the map, and keep it.
    expect(bundle).not.toContain("getCallSites");
  },
  60_000,
);
