import { describe, expect, it } from "vitest";
import { printerOf } from "../../../src/controlplane/builtin/printer-of.ts";
import { rulesOf } from "../../../src/controlplane/builtin/kinds/kind-table.ts";
import { builtInResources } from "../../../src/controlplane/builtin/resources.ts";
import { COMMON_CELLS } from "../../../src/controlplane/builtin/tables/cells.ts";

describe("tables", () => {
  it("have a cell for each column, and a column for each cell", () => {
    for (const { group, kind } of builtInResources()) {
      const cells = rulesOf(group, kind)?.table ?? {};
      const columns = printerOf(group, kind).columns.map(({ name }) => name);
      const known = [...Object.keys(cells), ...Object.keys(COMMON_CELLS)];
      expect(columns.filter((name) => !known.includes(name))).toEqual([]);
      const shown = Object.keys(cells).filter((name) => name !== "");
      expect(shown.filter((name) => !columns.includes(name))).toEqual([]);
    }
  });
});
