/** The list of fault tests is complete: each of T1 to T54, J1 to J12 and K1 to K10 has a test of its name. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const here = fileURLToPath(new URL(".", import.meta.url));

interface Row {
  readonly id: string;
  readonly fault: string;
  /** Files with a test of the name. */
  readonly shownBy: string;
}

/** The rows of the tables in `README.md`. */
const rows: readonly Row[] = readFileSync(join(here, "README.md"), "utf8")
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .filter(([, id]) => /^[TJK]\d+$/.test(id ?? ""))
  .map(([, id = "", fault = "", shownBy = ""]) => ({ id, fault, shownBy }));

const numbered = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

describe("the list of fault tests", () => {
  it("has every fault, once", () => {
    expect(rows.map(({ id }) => id)).toEqual([
      ...numbered("T", 54),
      ...numbered("J", 12),
      ...numbered("K", 10),
    ]);
    expect(rows.filter(({ fault }) => fault === "")).toEqual([]);
  });

  it.each(rows)("$id is the name of a test in $shownBy", ({ id, shownBy }) => {
    for (const [, file = ""] of shownBy.matchAll(/`([^`]+)`/g)) {
      const text = readFileSync(join(here, file), "utf8");
      expect(new RegExp(`["'\`]${id}: `).test(text), `${id} in ${file}`).toBe(true);
    }
  });

  it("leaves nothing out", () => {
    expect(rows.filter(({ shownBy }) => !shownBy.includes("`"))).toEqual([]);
  });
});
