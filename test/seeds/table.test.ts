/** `docs/seeds.md` says of each check where it is tested: by the rows beside this file, and by tests named after them. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { formatted } from "../../scripts/make/docs/formatted.ts";
import { ROWS, type Proof, type Row } from "./rows.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const textOf = (file: string): string => readFileSync(`${root}${file}`, "utf8");

/** Titles of tests that begin with an id. */
const NAMED = /\bit(?:\.each\([^]*?\))?\(\s*(["'`])(S\d-\d\d) ((?:(?!\1).)*)\1/g;

/** The test files below a folder, in their order; of packages none, which may be links that lead back here. */
function testsBelow(folder: string): string[] {
  return readdirSync(root + folder, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : testsBelow(path);
      return entry.name.endsWith(".test.ts") ? [path] : [];
    });
}

/** The tests that are named after a check, here and in the examples. */
function namedTests(): ReadonlyMap<string, readonly Proof[]> {
  const found = new Map<string, Proof[]>();
  for (const folder of ["test/seeds", "test/cli", "examples"]) {
    for (const file of testsBelow(folder)) {
      for (const [, , id = "", title = ""] of textOf(file).matchAll(NAMED)) {
        found.set(id, [...(found.get(id) ?? []), { file, title: `${id} ${title}` }]);
      }
    }
  }
  return found;
}

const named = namedTests();
const proofsOf = (row: Row): Proof[] => [...(named.get(row.id) ?? []), ...row.proofs];

function stateOf(row: Row): string {
  if (row.open === undefined) return "done";
  return proofsOf(row).length === 0 ? `open: ${row.open}` : `in part: ${row.open}`;
}

function placesOf(row: Row): string {
  const proofs = proofsOf(row);
  return [...new Set(proofs.map(({ file }) => file))]
    .map((place) => {
      const titles = proofs.filter(({ file }) => file === place).map(({ title }) => `“${title}”`);
      return `\`${place}\`: ${titles.join(", ")}`;
    })
    .join("<br>");
}

function page(): string {
  const done = ROWS.filter((row) => row.open === undefined);
  const lines = ROWS.map(
    (row) => `| ${row.id} | ${row.check} | ${stateOf(row)} | ${placesOf(row)} |`,
  );
  return `# What tsop began with

tsop began with four texts about operators: a guide to kubebuilder and client-go (S0), a lab in Python (S1), an overview with
operators of databases and applications (S2), and slides on an operator that serves a page (S3). What they show, tsop has to
do: ${ROWS.length} checks, of which ${done.length} are done. Where something is missing, the table says what.

Written by \`npx vitest run test/seeds/table.test.ts -u\` from the tests that are named after a check and from
\`test/seeds/rows.ts\`; not by hand. A test looks whether each file has a test of that title.

| id | check | state | tests |
| --- | --- | --- | --- |
${lines.join("\n")}
`;
}

describe("the table of checks", () => {
  it("has each check once, in its order", () => {
    const count = { S0: 13, S1: 9, S2: 13, S3: 15 };
    const expected = Object.entries(count).flatMap(([text, last]) =>
      Array.from({ length: last }, (_, at) => `${text}-${String(at + 1).padStart(2, "0")}`),
    );
    expect(ROWS.map(({ id }) => id)).toEqual(expected);
    expect([...named.keys()].filter((id) => !expected.includes(id))).toEqual([]);
  });

  it("says of each check where it is tested or what is missing", () => {
    const silent = ROWS.filter((row) => row.open === undefined && proofsOf(row).length === 0);
    expect(silent.map(({ id }) => id)).toEqual([]);
  });

  it("names tests that are there", () => {
    const missing = ROWS.flatMap(({ id, proofs }) =>
      proofs
        .filter(
          ({ file, title }) =>
            !['"', "'", "`"].some((quote) => textOf(file).includes(`${quote}${title}${quote}`)),
        )
        .map(({ file, title }) => `${id} ${file} › ${title}`),
    );
    expect(missing).toEqual([]);
  });

  it("is docs/seeds.md", async () => {
    await expect(await formatted("seeds.md", page())).toMatchFileSnapshot("../../docs/seeds.md");
  });
});
