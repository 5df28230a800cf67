/** The timeline of reconciles, the latest first. */
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { PageObject, PageReconcile } from "../cli/page/protocol.ts";
import { activityOf, isTelling } from "./about.ts";
import { Reconcile } from "./reconcile.tsx";
import type { PageState } from "./state.ts";
import { clockTime, counted, keyText } from "./words.ts";

export interface ReconcilesProps {
  /** The reconciles about the selected object, or all. */
  readonly entries: readonly PageReconcile[];
  readonly all: readonly PageReconcile[];
  readonly object: PageObject | undefined;
  readonly state: PageState;
}

/** The number of rows at first, and with each "show more". */
const PORTION = 50;
const BARS = 80;

export function Reconciles({ entries, all, object, state }: ReconcilesProps): JSX.Element {
  const [withQuiet, setWithQuiet] = useState(false);
  const [limit, setLimit] = useState(PORTION);
  const [shownOrigin, setShownOrigin] = useState<string>();
  const chosen = useMemo(() => {
    return entries.filter((entry) => withQuiet || isTelling(entry) || entry.id === shownOrigin);
  }, [entries, withQuiet, shownOrigin]);
  const byId = useMemo(() => new Map(all.map((entry) => [entry.id, entry])), [all]);
  // A linked reconcile that the filter hides is shown before the others.
  const origin = shownOrigin === undefined ? undefined : byId.get(shownOrigin);
  const latest = chosen.slice(-limit).reverse();
  const shown = origin && !latest.includes(origin) ? [...latest, origin] : latest;
  const hidden = entries.length - chosen.length;
  useEffect(() => {
    if (shownOrigin === undefined) return;
    const row = document.getElementById(rowId(shownOrigin));
    row?.scrollIntoView({ block: "nearest" });
    row?.querySelector("summary")?.focus();
  }, [shownOrigin]);
  const showOrigin = useCallback((id: string) => {
    setShownOrigin(undefined);
    queueMicrotask(() => setShownOrigin(id));
  }, []);
  return (
    <section class="reconciles" aria-labelledby="reconciles-title">
      <div class="bar">
        <h2 id="reconciles-title">
          Reconciles{object && <span class="dim"> about {keyText(object)}</span>}
        </h2>
        <label>
          <input
            type="checkbox"
            checked={withQuiet}
            onChange={(event) => setWithQuiet(event.currentTarget.checked)}
          />
          Also those that changed nothing
          {hidden > 0 && <span class="count">{hidden.toLocaleString()}</span>}
        </label>
      </div>
      {entries.length > 0 && <Activity entries={entries} />}
      {shown.length === 0 ? (
        <p class="empty">{emptyText(state, object, entries.length)}</p>
      ) : (
        <ol class="timeline" aria-label="The latest first">
          {shown.map((entry, index) => (
            <Reconcile
              key={`${entry.instance} ${entry.number}`}
              id={rowId(entry.id)}
              entry={entry}
              isOpen={entry.id === shownOrigin}
              isFirstOfRun={isFirstOfRun(shown, index)}
              root={state.title?.root}
              hasOrigin={byId}
              onOrigin={showOrigin}
            />
          ))}
        </ol>
      )}
      {chosen.length > limit && (
        <button type="button" class="more" onClick={() => setLimit(limit + PORTION)}>
          Show {Math.min(PORTION, chosen.length - limit)} more of{" "}
          {counted(chosen.length, "reconcile")}
        </button>
      )}
    </section>
  );
}

const rowId = (id: string): string => `reconcile-${id}`;

/** Whether the operator was restarted between this row and the next one below. */
function isFirstOfRun(shown: readonly PageReconcile[], index: number): boolean {
  const before = shown[index + 1];
  return before !== undefined && before.instance !== shown[index]?.instance;
}

function emptyText(
  { title, operator, connection }: PageState,
  object: PageObject | undefined,
  count: number,
): string {
  if (count > 0) return `${counted(count, "reconcile")} changed nothing. Tick the box to see them.`;
  if (object) return `No reconcile that the journal still has was about ${keyText(object)}.`;
  if (connection === "refused") return "Nothing can be shown without the token of the session.";
  if (operator.state === "unknown") return "Loading the reconciles.";
  if (operator.state !== "running") return "Reconciles are shown once the operator runs.";
  return title?.place === "tsop dev"
    ? "The operator has reconciled nothing yet. Press a in the terminal of `tsop dev` to apply config/samples."
    : "The operator has reconciled nothing yet. Apply an object of its kinds.";
}

/** Reconciles over time; the list below says the same in words. */
function Activity({ entries }: { readonly entries: readonly PageReconcile[] }): JSX.Element {
  const { bars, fromMs, toMs } = useMemo(() => activityOf(entries, BARS), [entries]);
  const most = Math.max(1, ...bars.map(({ failed, wrote, quiet }) => failed + wrote + quiet));
  const failed = entries.filter(({ error }) => error).length;
  const wrote = entries.filter(isTelling).length - failed;
  return (
    <figure class="activity">
      <svg viewBox={`0 0 ${BARS * 4} 32`} preserveAspectRatio="none" aria-hidden="true">
        {bars.flatMap((bar, index) => {
          let top = 32;
          return (["failed", "wrote", "quiet"] as const).map((ending) => {
            const height = (bar[ending] / most) * 32;
            top -= height;
            return height === 0 ? null : (
              <rect class={ending} x={index * 4} y={top} width={3} height={height} />
            );
          });
        })}
      </svg>
      <figcaption>
        <span>{clockTime(fromMs)}</span>
        <span>
          {counted(entries.length, "reconcile")}: {wrote.toLocaleString()} changed something,{" "}
          {failed.toLocaleString()} failed
        </span>
        <span>{clockTime(toMs)}</span>
      </figcaption>
    </figure>
  );
}
