/** The objects: a graph of owners and owned objects, or the same as a list. */
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { PageObject } from "../cli/page/protocol.ts";
import { drawForest, growForest, rowsOf } from "./forest.ts";
import { Graph } from "./graph.tsx";
import { useMedia } from "./hooks.ts";
import { ObjectList } from "./object-list.tsx";
import type { PageState } from "./state.ts";
import { counted } from "./words.ts";

export interface ObjectsProps {
  readonly state: PageState;
  /** The errors of objects whose last reconcile failed, by uid. */
  readonly failing: ReadonlyMap<string, string>;
  readonly selected: PageObject | undefined;
  readonly onSelect: (object: PageObject | undefined) => void;
}

export function Objects({ state, failing, selected, onSelect }: ObjectsProps): JSX.Element {
  const { objects, problems } = state;
  const isNarrow = useMedia("(max-width: 40rem)");
  const [chosen, setChosen] = useState<"graph" | "list">();
  const [search, setSearch] = useState("");
  const asked = state.title?.search;
  useEffect(() => {
    if (asked !== undefined) setSearch(asked);
  }, [asked]);
  const [unready, setUnready] = useState(false);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const form = chosen ?? (isNarrow ? "list" : "graph");
  const forest = useMemo(
    () => growForest(objects, { search, unready, toggled }),
    [objects, search, unready, toggled],
  );
  const toggle = useCallback((id: string) => {
    setToggled((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const late = useMemo(
    () => [...objects.values()].filter(({ status }) => status !== "Current").length,
    [objects],
  );
  return (
    <section class="objects" aria-labelledby="objects-title">
      <div class="bar">
        <h2 id="objects-title">Objects</h2>
        <p class="dim">
          {counted(objects.size, "object")}
          {late > 0 && `, ${late.toLocaleString()} not current`}
          {failing.size > 0 && `, ${counted(failing.size, "reconcile")} failing`}
        </p>
        <fieldset class="choice">
          <legend class="unseen">Show objects as</legend>
          {(["graph", "list"] as const).map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="form"
                checked={form === one}
                onChange={() => setChosen(one)}
              />
              {one === "graph" ? "Graph" : "List"}
            </label>
          ))}
        </fieldset>
      </div>
      <div class="bar">
        <input
          type="search"
          aria-label="Search objects by kind, namespace or name"
          placeholder="Kind, namespace or name"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <label>
          <input
            type="checkbox"
            checked={unready}
            onChange={(event) => setUnready(event.currentTarget.checked)}
          />
          Not current
        </label>
      </div>
      {problems.length > 0 && (
        <ul class="problems" aria-label="What cannot be watched">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {forest.length === 0 ? (
        <p class="empty">{emptyText(state, search !== "" || unready)}</p>
      ) : form === "graph" ? (
        <Shown {...{ forest, failing, selected, onSelect, toggle }} />
      ) : (
        <ObjectList rows={rowsOf(forest)} {...{ failing, selected, onSelect }} onToggle={toggle} />
      )}
    </section>
  );
}

interface ShownProps extends Omit<ObjectsProps, "state"> {
  readonly forest: ReturnType<typeof growForest>;
  readonly toggle: (id: string) => void;
}

function Shown({ forest, failing, selected, onSelect, toggle }: ShownProps): JSX.Element {
  const drawing = useMemo(() => drawForest(forest), [forest]);
  return <Graph {...{ drawing, failing, selected, onSelect }} onToggle={toggle} />;
}

function emptyText(
  { title, connection, isLoaded, problems }: PageState,
  isFiltered: boolean,
): string {
  if (isFiltered) return "No object matches. Change the search, or show all objects.";
  if (connection === "refused") return "Nothing can be shown without the token of the session.";
  if (!title) return "Loading.";
  if (!title.hasObjects) {
    return "Only the journal of this operator can be read. To see its objects, run `tsop why --page --context NAME` in the project.";
  }
  const { kinds, place } = title;
  if (kinds.length === 0) {
    return "The project has no kind yet. `tsop create api --group GROUP --version v1 --kind KIND` adds one.";
  }
  if (!isLoaded && problems.length === 0) return "Loading the objects.";
  const none = `There is no ${kinds.join(" and no ")} yet.`;
  return place === "tsop dev"
    ? `${none} Press a in the terminal of \`tsop dev\` to apply config/samples, or apply one with kubectl.`
    : `${none} Apply one with \`kubectl apply\`.`;
}
