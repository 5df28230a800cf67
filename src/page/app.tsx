/** The whole page: its heading, the objects, and one of the views beside them. */
import type { ComponentChild, JSX } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import {
  errorGroups,
  failingObjects,
  isEventAbout,
  isReconcileAbout,
  type ErrorGroup,
} from "./about.ts";
import { Errors } from "./errors.tsx";
import { Events } from "./events.tsx";
import { useMedia } from "./hooks.ts";
import { Objects } from "./objects.tsx";
import { Queues } from "./queues.tsx";
import { Reconciles } from "./reconciles.tsx";
import { Rights } from "./rights.tsx";
import type { PageState, PageStore } from "./state.ts";
import { FailingMark, StatusMark } from "./status-mark.tsx";
import { counted, keyText } from "./words.ts";
import type { PageObject } from "../cli/page/protocol.ts";

const VIEWS = {
  objects: "Objects",
  reconciles: "Reconciles",
  events: "Events",
  queues: "Queues",
  rights: "Rights",
  errors: "Errors",
} as const;
type View = keyof typeof VIEWS;
const ALL_VIEWS = Object.keys(VIEWS) as View[];
const WIDE = "(min-width: 62rem)";

export function App({ store }: { readonly store: PageStore }): JSX.Element {
  const [state, setState] = useState(store.state);
  useEffect(() => {
    // For changes between the first render and now.
    setState(store.state);
    return store.subscribe(setState);
  }, [store]);
  const isWide = useMedia(WIDE);
  const [asked, setAsked] = useState<View>("objects");
  const [selected, setSelected] = useState<PageObject>();
  // The present object; a deleted one still filters the reconciles.
  const object = selected && (state.objects.get(selected.uid) ?? selected);
  const view = isWide && asked === "objects" ? "reconciles" : asked;
  const errors = useMemo(() => errorGroups(state.reconciles), [state.reconciles]);
  const select = useCallback((next: PageObject | undefined) => {
    setSelected((before) => (before?.uid === next?.uid ? undefined : next));
  }, []);
  useEffect(() => {
    const name = state.title?.name;
    document.title = name === undefined ? "tsop" : `${name} - tsop`;
  }, [state.title]);
  const failing = useMemo(
    () => failingObjects(state.objects.values(), state.reconciles),
    [state.objects, state.reconciles],
  );
  const objects = <Objects state={state} failing={failing} selected={object} onSelect={select} />;
  return (
    <div class="page">
      <Top state={state} />
      <Mistakes lines={state.mistakes} />
      <main class={isWide ? "wide" : "narrow"}>
        {isWide && objects}
        <div class="beside">
          <Views view={view} isWide={isWide} state={state} errors={errors} onChoose={setAsked} />
          {object && view !== "objects" && (
            <Selected object={object} failing={failing} onEnd={() => setSelected(undefined)} />
          )}
          {view === "objects" ? objects : <Beside {...{ view, state, object, errors, select }} />}
        </div>
      </main>
    </div>
  );
}

/** The name, and the state of the connection. */
function Top({ state }: { readonly state: PageState }): JSX.Element {
  const { title } = state;
  const [tone, text] = connectionText(state);
  return (
    <header class="top">
      <h1>{title?.name ?? "tsop"}</h1>
      {title && <p class="dim">{title.place}</p>}
      <p class={`connection ${tone}`} role="status">
        {text}
      </p>
    </header>
  );
}

/** The mistakes in the code that was saved last. */
function Mistakes({ lines }: { readonly lines: readonly string[] }): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <section class="mistakes" role="alert">
      <h2>The code that was saved last does not run; the previous code keeps running</h2>
      <pre tabIndex={0}>{lines.join("\n")}</pre>
    </section>
  );
}

function connectionText({ connection, operator }: PageState): [tone: string, text: string] {
  if (connection === "refused") {
    return [
      "bad",
      "This address belongs to another session. Open the address that the terminal shows, or press o there.",
    ];
  }
  if (connection === "connecting") return ["dim", "Connecting"];
  if (connection === "lost") return ["bad", "tsop does not answer. This is the last known state."];
  const { state, problem } = operator;
  if (state === "unknown") return ["dim", "Asking the operator"];
  if (state === "starting") return ["dim", "The operator is starting"];
  if (state === "running") return ["good", "The operator is running"];
  return ["bad", problem ?? "The operator is not running. Its last lines are in the terminal."];
}

interface ViewsProps {
  readonly view: View;
  readonly isWide: boolean;
  readonly state: PageState;
  readonly errors: readonly ErrorGroup[];
  readonly onChoose: (view: View) => void;
}

function Views({ view, isWide, state, errors, onChoose }: ViewsProps): JSX.Element {
  const counts: Readonly<Record<View, number>> = {
    objects: state.objects.size,
    reconciles: state.reconciles.length,
    events: state.events.size,
    queues: state.queues.reduce((sum, { depth, inHand }) => sum + depth + inHand.length, 0),
    rights: state.rights.filter(({ refused }) => refused > 0).length,
    errors: errors.filter(({ isOver }) => !isOver).length,
  };
  return (
    <nav aria-label="Views" class="views">
      {ALL_VIEWS.filter((one) => !isWide || one !== "objects").map((one) => (
        <button
          key={one}
          type="button"
          aria-current={one === view ? "page" : undefined}
          onClick={() => onChoose(one)}
        >
          {VIEWS[one]}
          {counts[one] > 0 && (
            <span class={one === "errors" || one === "rights" ? "count bad" : "count"}>
              {counts[one].toLocaleString()}
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}

interface SelectedProps {
  readonly object: PageObject;
  readonly failing: ReadonlyMap<string, string>;
  readonly onEnd: () => void;
}

function Selected({ object, failing, onEnd }: SelectedProps): JSX.Element {
  const { kind, status, message } = object;
  const failure = failing.get(object.uid);
  return (
    <aside class="selected" aria-label="Selected object">
      <p>
        <StatusMark status={status} /> <strong>{kind}</strong> {keyText(object)}
      </p>
      <p class="dim">{message}</p>
      {failure !== undefined && (
        <p>
          <FailingMark /> The last reconcile failed: {failure}
        </p>
      )}
      <button type="button" onClick={onEnd}>
        Show all
      </button>
    </aside>
  );
}

interface BesideProps {
  readonly view: Exclude<View, "objects">;
  readonly state: PageState;
  readonly object: PageObject | undefined;
  readonly errors: readonly ErrorGroup[];
  readonly select: (object: PageObject | undefined) => void;
}

function Beside({ view, state, object, errors, select }: BesideProps): ComponentChild {
  const { reconciles, events, title } = state;
  const about = useMemo(
    () => (object ? reconciles.filter((entry) => isReconcileAbout(entry, object)) : reconciles),
    [reconciles, object],
  );
  switch (view) {
    case "reconciles":
      return <Reconciles entries={about} all={reconciles} object={object} state={state} />;
    case "events": {
      const shown = [...events.values()].filter((event) => !object || isEventAbout(event, object));
      return <Events events={shown} objects={state.objects} object={object} onSelect={select} />;
    }
    case "queues":
      return <Queues state={state} />;
    case "rights":
      return <Rights rights={state.rights} place={title?.place} />;
    case "errors": {
      const shown = errors.filter(({ last }) => !object || isReconcileAbout(last, object));
      return <Errors groups={shown} root={title?.root} about={object && counted(1, object.kind)} />;
    }
  }
}
