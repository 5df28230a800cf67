/** The objects as trees from left to right; only the visible part is drawn. Arrow keys move the focus. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageObject } from "../cli/page/protocol.ts";
import { NODE, visiblePart, type Drawing, type PlacedRow, type Stem } from "./forest.ts";
import { useViewport } from "./hooks.ts";
import { FAILING, FailingMark, StatusMark } from "./status-mark.tsx";
import { counted, keyText } from "./words.ts";

export interface GraphProps {
  readonly drawing: Drawing;
  /** The errors of objects whose last reconcile failed, by uid. */
  readonly failing: ReadonlyMap<string, string>;
  readonly selected: PageObject | undefined;
  readonly onSelect: (object: PageObject) => void;
  readonly onToggle: (id: string) => void;
}

/** The margin above and below the screen that is drawn, so that scrolling shows no gaps. */
const BEYOND = 200;

export function Graph(props: GraphProps): JSX.Element {
  const { drawing, failing, selected, onSelect, onToggle } = props;
  const region = useRef<HTMLDivElement>(null);
  const { top, height } = useViewport(region);
  const [active, setActive] = useState<string>();
  const { rows } = drawing;
  const part = useMemo(
    () => visiblePart(drawing, top - BEYOND, top + height + BEYOND),
    [drawing, top, height],
  );
  const activeIndex = Math.max(
    0,
    rows.findIndex(({ node }) => node.id === active),
  );
  const activeRow = rows[activeIndex];
  // The focused row is drawn even when it is scrolled away, for screen readers.
  const shown = activeRow && !part.rows.includes(activeRow) ? [...part.rows, activeRow] : part.rows;
  useEffect(() => {
    if (active !== undefined && activeRow) intoView(region.current, activeRow);
  }, [active]);
  const act = (row: PlacedRow): void => {
    if (row.node.object) onSelect(row.node.object);
    else onToggle(row.node.id);
  };
  const press = (event: KeyboardEvent): void => {
    if (!activeRow || event.altKey || event.ctrlKey || event.metaKey) return;
    const next = nextIndex(event.key, rows, activeIndex);
    if (next !== undefined) setActive(rows[next]?.node.id);
    else if (event.key === "Enter" || event.key === " ") act(activeRow);
    else if (opens(event.key, activeRow)) onToggle(activeRow.node.id);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={region}
      class="graph"
      role="tree"
      tabIndex={0}
      aria-label="What owns what"
      aria-activedescendant={activeRow && domId(activeRow)}
      onKeyDown={press}
    >
      <div
        role="presentation"
        class="canvas"
        style={{ width: `${drawing.width}px`, height: `${drawing.height}px` }}
      >
        <svg aria-hidden="true" width={drawing.width} height={drawing.height}>
          {part.stems.map((stem) => (
            <path key={stem.owner.node.id} d={linesOf(stem, top - BEYOND, top + height + BEYOND)} />
          ))}
        </svg>
        {shown.map((row) => (
          <GraphNode
            key={row.node.id}
            row={row}
            failure={row.node.object && failing.get(row.node.object.uid)}
            isActive={row === activeRow}
            isSelected={row.node.object !== undefined && row.node.object.uid === selected?.uid}
            onPick={() => {
              setActive(row.node.id);
              act(row);
            }}
            onToggle={() => onToggle(row.node.id)}
          />
        ))}
      </div>
    </div>
  );
}

interface GraphNodeProps {
  readonly row: PlacedRow;
  /** The error of its last reconcile, if that failed. */
  readonly failure: string | undefined;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onPick: () => void;
  readonly onToggle: () => void;
}

function GraphNode(props: GraphNodeProps): JSX.Element {
  const { row, failure, isActive, isSelected, onPick, onToggle } = props;
  const { node, level, position, siblings } = row;
  const { object, group, isOpen } = node;
  const said = failure === undefined ? object?.message : `${FAILING}: ${failure}`;
  const place = { left: `${row.left}px`, top: `${row.top}px`, width: `${row.width}px` };
  return (
    <div
      id={domId(row)}
      role="treeitem"
      class={`node${isActive ? " active" : ""}${group ? " group" : ""}`}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={isOpen}
      aria-selected={isSelected}
      title={object && `${object.kind} ${keyText(object)}: ${said}`}
      style={place}
      onClick={onPick}
    >
      <span class="names">
        {object ? (
          <NodeName name={object.name} />
        ) : (
          <span class="name">{group && counted(group.count, group.kind)}</span>
        )}
        <span class="kind">
          {object
            ? [object.kind, object.namespace].filter((part) => part !== undefined).join(" · ")
            : group && `${group.current.toLocaleString()} current`}
        </span>
      </span>
      {object && <StatusMark status={object.status} />}
      {failure !== undefined && <FailingMark />}
      {isOpen !== undefined && (
        <span
          class="toggle"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
        >
          {isOpen ? "−" : "+"}
        </span>
      )}
    </div>
  );
}

/** The end of a name is what tells it from its siblings: what has no room is left out in the middle. */
const TAIL = 9;

/** A name of so many characters always has room. */
const SHORT = 12;

function NodeName({ name }: { readonly name: string }): JSX.Element {
  if (name.length <= SHORT) return <span class="name">{name}</span>;
  return (
    <>
      <span class="unseen">{name}</span>
      <span class="name cut" aria-hidden="true">
        <span>{name.slice(0, -TAIL)}</span>
        <span>{name.slice(-TAIL)}</span>
      </span>
    </>
  );
}

const domId = ({ node }: PlacedRow): string => `node-${node.id.replaceAll(/[^\w-]/g, "_")}`;

/** The row that an arrow key leads to; `undefined` for other keys. */
function nextIndex(key: string, rows: readonly PlacedRow[], index: number): number | undefined {
  const last = rows.length - 1;
  switch (key) {
    case "ArrowDown":
      return Math.min(last, index + 1);
    case "ArrowUp":
      return Math.max(0, index - 1);
    case "Home":
      return 0;
    case "End":
      return last;
    case "ArrowLeft":
      return rows[index]?.node.isOpen ? undefined : rows[index]?.owner;
    case "ArrowRight":
      return rows[index]?.node.isOpen ? index + 1 : undefined;
    default:
      return undefined;
  }
}

/** Whether the key toggles the row: left closes an open one, right opens a closed one. */
function opens(key: string, { node }: PlacedRow): boolean {
  return (
    (key === "ArrowLeft" && node.isOpen === true) || (key === "ArrowRight" && node.isOpen === false)
  );
}

/** The line from the owner to the stem, the visible part of the stem, and a branch to each visible child. */
function linesOf({ owner, owned }: Stem, top: number, bottom: number): string {
  const half = NODE.height / 2;
  const start = owner.left + owner.width;
  const stem = start + NODE.columnGap / 2;
  const middle = owner.top + half;
  const ends = [middle, (owned[0]?.top ?? 0) + half, (owned.at(-1)?.top ?? 0) + half];
  const from = Math.max(Math.min(...ends), top);
  const to = Math.min(Math.max(...ends), bottom);
  const branches = owned
    .filter((row) => row.top + half >= top && row.top + half <= bottom)
    .map((row) => `M${stem} ${row.top + half}H${row.left}`);
  return `M${start} ${middle}H${stem}M${stem} ${from}V${to}${branches.join("")}`;
}

function intoView(region: HTMLElement | null, { left, top, width }: PlacedRow): void {
  if (!region) return;
  const { scrollTop, scrollLeft, clientHeight, clientWidth } = region;
  const { height, margin } = NODE;
  if (top - margin < scrollTop) region.scrollTop = top - margin;
  if (top + height + margin > scrollTop + clientHeight) {
    region.scrollTop = top + height + margin - clientHeight;
  }
  if (left - margin < scrollLeft) region.scrollLeft = left - margin;
  if (left + width + margin > scrollLeft + clientWidth) {
    region.scrollLeft = left + width + margin - clientWidth;
  }
}
