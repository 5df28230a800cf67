/** The programs of `npm run verify`, `npm run measure` and `npm run make`, and how they are run. */
import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { parseArguments } from "../../scripts/programs/arguments.ts";
import { programOf } from "../../scripts/programs/folder.ts";
import { defineMaker, defineVerification, SEED } from "../../scripts/programs/program.ts";
import { runProgram } from "../../scripts/programs/run.ts";

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const sample = defineVerification({
  about: "Compares.",
  compares: "sums",
  needs: [],
  words: { name: "KIND", about: "what to compare", choices: ["small", "large"], most: 1 },
  options: {
    seed: SEED,
    count: { type: "number", about: "number of sums" },
    only: { type: "list", about: "names" },
    real: { type: "text", required: true, about: "of the server" },
    brief: { type: "switch", about: "less" },
  },
  run: () => Promise.resolve(),
});

describe("A file without a definition of its folder", () => {
  it.each([{}, { program: sample }])("is found", (module) => {
    expect(() => programOf(module, "make", "api")).toThrow(
      "scripts/make/api.ts does not define a program of its folder",
    );
  });
});

describe("The command line of a program", () => {
  it("has its options, its words, and defaults", () => {
    const argv = ["small", "--real", "x", "--only", "a,b", "--only=c", "--count", "7"];
    expect(parseArguments(sample, argv)).toEqual({
      values: { seed: 1, count: 7, only: ["a", "b", "c"], real: "x", brief: false },
      words: ["small"],
    });
  });

  it.each([
    ["--real x --sed 5", 'Unknown option "--sed". Did you mean --seed?'],
    ["--real x smal", 'Unknown KIND "smal". Did you mean small?'],
    ["--real x small large", 'Unexpected argument "large".'],
    ["--real x --seed five", 'The option --seed needs a number of 0 or more, not "five".'],
    ["--real x --seed", "The option --seed needs a value."],
    ["--real x --brief=yes", "The option --brief does not accept a value."],
    ["small", "The option --real is missing: of the server."],
  ])("is rejected: %s", (line, message) => {
    expect(() => parseArguments(sample, line.split(" "))).toThrow(message);
  });
});

/** Runs a verification with an injected judge; returns the printed lines, and whether it holds. */
async function runWith(
  judge: (sum: number) => number,
  options: { readonly known?: number; readonly fails?: boolean } = {},
): Promise<{ lines: string[]; holds: boolean }> {
  const program = defineVerification({
    about: "Compares sums.",
    compares: "sums",
    needs: [],
    options: { seed: SEED, count: { type: "number", default: 3, about: "number of sums" } },
    run: ({ values: { seed, count }, tally }) => {
      for (let sum = seed; sum < seed + count; sum++) tally.count(judge(sum) === sum);
      tally.add(0, 0, options.known ?? 0);
      return options.fails ? Promise.reject(new Error("the judge is away")) : Promise.resolve();
    },
  });
  const print = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    const given = parseArguments(program, ["--seed", "5"]);
    const holds = await runProgram("npm run verify -- sums", program, given);
    return { holds, lines: print.mock.calls.map(([line]) => String(line)) };
  } finally {
    print.mockRestore();
  }
}

describe("A verification", () => {
  it("holds when all comparisons do, and prints its command first and its figure last", async () => {
    expect(await runWith((sum) => sum)).toEqual({
      holds: true,
      lines: ["npm run verify -- sums --seed 5 --count 3", "sums: 3 compared, 3 held"],
    });
  });

  it("fails when its judge differs once", async () => {
    const { holds, lines } = await runWith((sum) => (sum === 6 ? 0 : sum));
    expect(holds).toBe(false);
    expect(lines.at(-1)).toBe("sums: 3 compared, 2 held");
  });

  it("holds when only documented differences are left", async () => {
    const { holds, lines } = await runWith((sum) => (sum === 6 ? 0 : sum), { known: 1 });
    expect(holds).toBe(true);
    expect(lines.at(-1)).toBe("sums: 3 compared, 2 held, 1 known to differ");
  });

  it("fails when an error ends it, after what was compared", async () => {
    const { holds, lines } = await runWith((sum) => sum, { fails: true });
    expect(holds).toBe(false);
    expect(lines.at(-2)).toContain("FAIL: Error: the judge is away");
    expect(lines.at(-1)).toBe("sums: 3 compared, 3 held");
  });

  it("fails when it compared nothing", async () => {
    const print = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const given = parseArguments(sample, ["--real", "x"]);
    expect(await runProgram("npm run verify -- sums", sample, given)).toBe(false);
    expect(print).toHaveBeenLastCalledWith("sums: 0 compared, 0 held");
    print.mockRestore();
  });
});

describe("A maker", () => {
  it("prints the paths that it wrote", async () => {
    const print = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const run = (): Promise<string[]> => Promise.resolve(["docs/a.md"]);
    const maker = defineMaker({ about: "Writes.", needs: [], options: {}, run });
    expect(await runProgram("npm run make -- a", maker, parseArguments(maker, []))).toBe(true);
    expect(print.mock.calls).toEqual([["docs/a.md"]]);
    print.mockRestore();
  });
});

describe("package.json", () => {
  it("has the scripts that people type", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: object };
    const names =
      "bench build check format lint make measure prepare quickstart site site:dev test test:fast test:node verify watch";
    expect(Object.keys(scripts)).toEqual(names.split(" "));
  });
});
