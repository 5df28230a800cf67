/** Objects as trees of owners and owned objects, and the places where they are drawn. Pure. */
import { hierarchy, tree } from "d3-hierarchy";
import type { PageObject } from "../cli/page/protocol.ts";

/** The visible part of the trees. */
export interface ForestChoice {
  /** Words that the kind, name and namespace must contain; empty for all. */
  readonly search: string;
  /** Only objects that are not current, and their owners. */
  readonly unready: boolean;
  /** Ids of nodes that are not in their default state: objects are open, groups are closed. */
  readonly toggled: ReadonlySet<string>;
}

/** An object, or a group of similar objects of one kind. */
export interface ForestNode {
  /** The uid of an object. */
  readonly id: string;
  readonly object: PageObject | undefined;
  readonly group: ForestGroup | undefined;
  /** The children that are shown. */
  readonly children: readonly ForestNode[];
  /** Absent for a node without children. */
  readonly isOpen: boolean | undefined;
}

/** Many objects of one kind below one owner. */
interface ForestGroup {
  readonly kind: string;
  readonly count: number;
  /** The number of current objects. */
  readonly current: number;
}

/** With more objects than this of one kind below one owner, those without children become a group. */
const MOST_ALIKE = 12;

/** The trees of all objects. */
export function growForest(
  objects: ReadonlyMap<string, PageObject>,
  choice: ForestChoice,
): ForestNode[] {
  const kept = keptObjects(objects, choice);
  const byParent = new Map<string, PageObject[]>();
  const roots: PageObject[] = [];
  for (const object of kept) {
    const { parent } = object;
    if (parent === undefined || !objects.has(parent)) roots.push(object);
    else addTo(byParent, parent, object);
  }
  const placed = new Set<string>();
  const grow = (object: PageObject): ForestNode => {
    placed.add(object.uid);
    const below = (byParent.get(object.uid) ?? [])
      .filter(({ uid }) => !placed.has(uid))
      .sort(byName);
    const isOpen = below.length === 0 ? undefined : !choice.toggled.has(object.uid);
    const children = isOpen ? grouped(below.map(grow), object.uid, choice) : [];
    if (!isOpen) markAll(below, byParent, placed);
    return { id: object.uid, object, group: undefined, children, isOpen };
  };
  const forest = roots.sort(byName).map(grow);
  // Owners in a circle have no root, but must be shown.
  for (const object of kept) if (!placed.has(object.uid)) forest.push(grow(object));
  return forest;
}

function addTo<T>(lists: Map<string, T[]>, key: string, one: T): void {
  const list = lists.get(key);
  if (list) list.push(one);
  else lists.set(key, [one]);
}

function markAll(
  objects: readonly PageObject[],
  byParent: ReadonlyMap<string, readonly PageObject[]>,
  placed: Set<string>,
): void {
  for (const { uid } of objects) {
    if (placed.has(uid)) continue;
    placed.add(uid);
    markAll(byParent.get(uid) ?? [], byParent, placed);
  }
}

function byName(a: PageObject, b: PageObject): number {
  return (
    compare(a.kind, b.kind) ||
    compare(a.namespace ?? "", b.namespace ?? "") ||
    compare(a.name, b.name)
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The chosen objects, and their owners. */
function keptObjects(
  objects: ReadonlyMap<string, PageObject>,
  { search, unready }: ForestChoice,
): PageObject[] {
  const words = search
    .toLowerCase()
    .split(/[\s/]+/)
    .filter((word) => word !== "");
  if (words.length === 0 && !unready) return [...objects.values()];
  const kept = new Set<PageObject>();
  for (const object of objects.values()) {
    if (unready && object.status === "Current") continue;
    const { kind, namespace = "", name } = object;
    const text = `${kind} ${namespace} ${name}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    for (
      let one: PageObject | undefined = object;
      one && !kept.has(one);
      one = one.parent === undefined ? undefined : objects.get(one.parent)
    ) {
      kept.add(one);
    }
  }
  return [...kept];
}

/** Groups similar objects. */
function grouped(
  nodes: readonly ForestNode[],
  parent: string,
  { search, toggled }: ForestChoice,
): ForestNode[] {
  if (nodes.length <= MOST_ALIKE || search !== "") return [...nodes];
  const alike = new Map<string, ForestNode[]>();
  for (const node of nodes) {
    if (node.isOpen !== undefined || !node.object) continue;
    addTo(alike, node.object.resource, node);
  }
  const groups = new Map<string, ForestNode>();
  for (const [resource, members] of alike) {
    const kind = members[0]?.object?.kind;
    if (members.length <= MOST_ALIKE || kind === undefined) continue;
    const id = `${parent} ${resource}`;
    const current = members.filter(({ object }) => object?.status === "Current").length;
    const isOpen = toggled.has(id);
    groups.set(resource, {
      id,
      object: undefined,
      group: { kind, count: members.length, current },
      children: isOpen ? members : [],
      isOpen,
    });
  }
  const isGrouped = ({ isOpen, object }: ForestNode): boolean =>
    isOpen === undefined && object !== undefined && groups.has(object.resource);
  return [...nodes.filter((node) => !isGrouped(node)), ...groups.values()];
}

/** A node in a list of all visible ones, each owner before its children. */
export interface ForestRow {
  readonly node: ForestNode;
  /** The level; 1 for an object without an owner. */
  readonly level: number;
  /** The position among the children of the same owner, from 1. */
  readonly position: number;
  readonly siblings: number;
  /** The index of its owner. */
  readonly owner: number | undefined;
}

export function rowsOf(forest: readonly ForestNode[]): ForestRow[] {
  const rows: ForestRow[] = [];
  const add = (nodes: readonly ForestNode[], level: number, owner: number | undefined): void => {
    for (const [index, node] of nodes.entries()) {
      const own = rows.length;
      rows.push({ node, level, position: index + 1, siblings: nodes.length, owner });
      add(node.children, level + 1, own);
    }
  };
  add(forest, 1, undefined);
  return rows;
}

/** Sizes in pixels. Nodes are wider where the trees have few levels: there is room for their names. */
export const NODE = {
  ...{ width: 168, wideWidth: 232, wideLevels: 3 },
  ...{ height: 40, rowGap: 8, columnGap: 28, margin: 16 },
} as const;

/** A row with its position in the drawing. */
export interface PlacedRow extends ForestRow {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** The lines from an owner to its children: one stem, and a branch to each. */
export interface Stem {
  readonly owner: PlacedRow;
  /** The children, the top one first. */
  readonly owned: readonly PlacedRow[];
}

/** The whole drawing. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  /** The rows, each owner before its children. */
  readonly rows: readonly PlacedRow[];
  readonly stems: readonly Stem[];
}

/** A node of the layout; the root of the layout has no row. */
interface Place {
  readonly row: ForestRow | undefined;
  readonly children: Place[];
}

/** Places the trees below each other, owners to the left. */
export function drawForest(forest: readonly ForestNode[]): Drawing {
  const all = rowsOf(forest);
  const ground = groundOf(all);
  const width = all.some(({ level }) => level > NODE.wideLevels) ? NODE.width : NODE.wideWidth;
  const step = width + NODE.columnGap;
  const layout = tree<Place>()
    .nodeSize([NODE.height + NODE.rowGap, step])
    .separation((a, b) => (a.parent === b.parent && a.depth > 1 ? 1 : 1.4));
  const root = layout(hierarchy(ground));
  let [first, last, right] = [Infinity, -Infinity, 0];
  root.each(({ x, y, depth }) => {
    if (depth === 0) return;
    first = Math.min(first, x);
    last = Math.max(last, x);
    right = Math.max(right, y);
  });
  const rows: PlacedRow[] = [];
  const owned = new Map<PlacedRow, PlacedRow[]>();
  // Owners come before what they own here, as in the list of rows.
  root.eachBefore(({ data, x, y }) => {
    if (!data.row) return;
    const row = { ...data.row, left: y - step + NODE.margin, top: x - first + NODE.margin, width };
    rows.push(row);
    const owner = row.owner === undefined ? undefined : rows[row.owner];
    if (!owner) return;
    const list = owned.get(owner);
    if (list) list.push(row);
    else owned.set(owner, [row]);
  });
  const isEmpty = rows.length === 0;
  return {
    rows,
    stems: [...owned].map(([owner, list]) => ({ owner, owned: list })),
    width: isEmpty ? 0 : right - step + width + 2 * NODE.margin,
    height: isEmpty ? 0 : last - first + NODE.height + 2 * NODE.margin,
  };
}

function groundOf(rows: readonly ForestRow[]): Place {
  const ground: Place = { row: undefined, children: [] };
  const places = rows.map((row): Place => ({ row, children: [] }));
  for (const [index, { owner }] of rows.entries()) {
    const place = places[index];
    if (place) (owner === undefined ? ground : places[owner])?.children.push(place);
  }
  return ground;
}

/** The part of a drawing that is on the screen: the rows, and the lines that cross it. */
export function visiblePart(
  { rows, stems }: Drawing,
  top: number,
  bottom: number,
): Pick<Drawing, "rows" | "stems"> {
  return {
    rows: rows.filter((row) => row.top + NODE.height >= top && row.top <= bottom),
    stems: stems.filter(({ owner, owned }) => {
      const [first, last] = [owned[0]?.top ?? 0, owned.at(-1)?.top ?? 0];
      return Math.max(last, owner.top) + NODE.height >= top && Math.min(first, owner.top) <= bottom;
    }),
  };
}
