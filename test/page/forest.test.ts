/** Objects as trees, and where each is drawn. */
import { describe, expect, it } from "vitest";
import type { PageObject } from "../../src/cli/page/protocol.ts";
import {
  drawForest,
  growForest,
  NODE,
  rowsOf,
  visiblePart,
  type ForestChoice,
} from "../../src/page/forest.ts";

const ALL: ForestChoice = { search: "", unready: false, toggled: new Set() };

/** `Kind/name < owner`, one a line. */
function objects(text: string): Map<string, PageObject> {
  const lines = text.trim().split("\n");
  return new Map(
    lines.map((line) => {
      const [, kind = "", name = "", late, parent] =
        /(\w+)\/([\w-]+)(!?)(?: < (\S+))?/.exec(line.trim()) ?? [];
      const uid = `${kind}/${name}`;
      const object: PageObject = {
        uid,
        kind,
        resource: kind.toLowerCase(),
        name,
        status: late === "!" ? "InProgress" : "Current",
        message: "",
        createdMs: 0,
        ...(parent !== undefined && { parent }),
      };
      return [uid, object];
    }),
  );
}

/** Each row by its level. */
function outline(
  all: ReadonlyMap<string, PageObject>,
  choice: Partial<ForestChoice> = {},
): string[] {
  return rowsOf(growForest(all, { ...ALL, ...choice })).map(
    ({ node, level }) => "  ".repeat(level - 1) + node.id,
  );
}

const SHOP = objects(`
  Web/b
  Web/a
  Deployment/a < Web/a
  Set/a < Deployment/a
  Pod/a1! < Set/a
  Pod/a2 < Set/a
`);

const FAN = objects(
  ["Web/a", ...Array.from({ length: 13 }, (_, index) => `Pod/p${index} < Web/a`)].join("\n"),
);

describe("the forest of objects", () => {
  it("has each object below its owner, by kind and name", () => {
    expect(outline(SHOP)).toEqual([
      "Web/a",
      "  Deployment/a",
      "    Set/a",
      "      Pod/a1",
      "      Pod/a2",
      "Web/b",
    ]);
  });

  it("leaves out what is below a node that was closed", () => {
    expect(outline(SHOP, { toggled: new Set(["Deployment/a"]) })).toEqual([
      "Web/a",
      "  Deployment/a",
      "Web/b",
    ]);
  });

  it("shows what is searched for with its owners", () => {
    expect(outline(SHOP, { search: "POD a2" })).toEqual([
      "Web/a",
      "  Deployment/a",
      "    Set/a",
      "      Pod/a2",
    ]);
    expect(outline(SHOP, { search: "nothing like it" })).toEqual([]);
  });

  it("shows what is not current with its owners", () => {
    expect(outline(SHOP, { unready: true }).at(-1)).toBe("      Pod/a1");
  });

  it("puts more than twelve of a kind into a group, which opens", () => {
    expect(outline(FAN)).toEqual(["Web/a", "  Web/a pod"]);
    expect(outline(FAN, { toggled: new Set(["Web/a pod"]) })).toHaveLength(15);
    expect(outline(FAN, { search: "pod" })).toHaveLength(14);
  });

  it("shows owners in a circle, each once", () => {
    const circle = objects("Web/a < Web/b\nWeb/b < Web/a");
    expect(outline(circle)).toEqual(["Web/a", "  Web/b"]);
  });

  it("places owners left of what they own, in the middle of it, and no two in one place", () => {
    const { rows, stems, width, height } = drawForest(growForest(SHOP, ALL));
    const at = new Map(rows.map((row) => [row.node.id, row]));
    const [set, first, second] = ["Set/a", "Pod/a1", "Pod/a2"].map((id) => at.get(id));
    expect(first!.left).toBe(set!.left + NODE.width + NODE.columnGap);
    expect(set!.top).toBe((first!.top + second!.top) / 2);
    expect(second!.top - first!.top).toBe(NODE.height + NODE.rowGap);
    expect(stems.map(({ owner, owned }) => [owner.node.id, owned.length])).toEqual([
      ["Web/a", 1],
      ["Deployment/a", 1],
      ["Set/a", 2],
    ]);
    expect(new Set(rows.map(({ left, top }) => `${left} ${top}`)).size).toBe(rows.length);
    expect(Math.max(...rows.map(({ left }) => left)) + NODE.width + NODE.margin).toBe(width);
    expect(Math.max(...rows.map(({ top }) => top)) + NODE.height + NODE.margin).toBe(height);
    expect(Math.min(...rows.map(({ top }) => top))).toBe(NODE.margin);
  });

  it("has no size when it is empty", () => {
    expect(drawForest([])).toEqual({ rows: [], stems: [], width: 0, height: 0 });
  });

  it("draws what crosses the screen, and lines from an owner above to what is below it", () => {
    const open = { ...ALL, toggled: new Set(["Web/a pod"]) };
    const drawing = drawForest(growForest(FAN, open));
    const part = visiblePart(drawing, 0, 60);
    expect(part.rows.length).toBeLessThan(4);
    expect(part.stems).toHaveLength(1);
    expect(visiblePart(drawing, drawing.height + 1, drawing.height + 100)).toEqual({
      rows: [],
      stems: [],
    });
  });
});
