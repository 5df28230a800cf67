/** The objects as a table, owners before their children; only the visible part is drawn. */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { PageObject } from "../cli/page/protocol.ts";
import type { ForestRow } from "./forest.ts";
import { useViewport } from "./hooks.ts";
import { FailingMark, StatusMark, statusWord } from "./status-mark.tsx";
import { counted } from "./words.ts";

export interface ObjectListProps {
  readonly rows: readonly ForestRow[];
  /** The errors of objects whose last reconcile failed, by uid. */
  readonly failing: ReadonlyMap<string, string>;
  readonly selected: PageObject | undefined;
  readonly onSelect: (object: PageObject) => void;
  readonly onToggle: (id: string) => void;
}

/** The height of a row, as in the style sheet. */
const ROW = 44;
const BEYOND = 8;

export function ObjectList(props: ObjectListProps): JSX.Element {
  const { rows, failing, selected, onSelect, onToggle } = props;
  const region = useRef<HTMLDivElement>(null);
  const { top, height } = useViewport(region);
  const first = Math.max(0, Math.floor(top / ROW) - BEYOND);
  const end = Math.min(rows.length, Math.ceil((top + height) / ROW) + BEYOND);
  return (
    <div ref={region} class="list" role="region" aria-label="List of objects" tabIndex={0}>
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Object</th>
            <th scope="col" class="namespace">
              Namespace
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Gap rows={first} />}
          {rows.slice(first, end).map((row, index) => (
            <ListRow
              key={row.node.id}
              row={row}
              index={first + index}
              failure={row.node.object && failing.get(row.node.object.uid)}
              isSelected={row.node.object !== undefined && row.node.object.uid === selected?.uid}
              onSelect={onSelect}
              onToggle={onToggle}
            />
          ))}
          {end < rows.length && <Gap rows={rows.length - end} />}
        </tbody>
      </table>
    </div>
  );
}

/** The space of rows that are not drawn. */
function Gap({ rows }: { readonly rows: number }): JSX.Element {
  return (
    <tr class="gap" aria-hidden="true">
      <td colSpan={3} style={{ height: `${rows * ROW}px` }} />
    </tr>
  );
}

interface ListRowProps extends Pick<ObjectListProps, "onSelect" | "onToggle"> {
  readonly row: ForestRow;
  readonly index: number;
  /** The error of its last reconcile, if that failed. */
  readonly failure: string | undefined;
  readonly isSelected: boolean;
}

function ListRow(props: ListRowProps): JSX.Element {
  const { row, index, failure, isSelected, onSelect, onToggle } = props;
  const { node, level } = row;
  const { object, group, isOpen } = node;
  return (
    <tr aria-rowindex={index + 2} class={isSelected ? "chosen" : undefined}>
      <th scope="row" style={{ paddingLeft: `${(level - 1) * 20 + 4}px` }}>
        <span class="cell">
          {isOpen === undefined ? (
            <span class="toggle" />
          ) : (
            <button
              type="button"
              class="toggle"
              aria-expanded={isOpen}
              aria-label={`What ${object?.name ?? group?.kind ?? ""} owns`}
              onClick={() => onToggle(node.id)}
            >
              {isOpen ? "−" : "+"}
            </button>
          )}
          {object ? (
            <button
              type="button"
              class="pick"
              aria-pressed={isSelected}
              onClick={() => onSelect(object)}
            >
              <span class="name">{object.name}</span>
              <span class="kind">{object.kind}</span>
            </button>
          ) : (
            <span class="pick">{group && counted(group.count, group.kind)}</span>
          )}
        </span>
      </th>
      <td class="namespace">{object?.namespace}</td>
      <td>
        {object ? (
          <span class="cell" title={failure ?? object.message}>
            <StatusMark status={object.status} />
            <span aria-hidden="true">{statusWord(object.status)}</span>
            {failure !== undefined && <FailingMark />}
          </span>
        ) : (
          group && `${group.current.toLocaleString()} current`
        )}
      </td>
    </tr>
  );
}
