/** The state of the page, made of the messages that it received. Pure. */
import type {
  PageEvent,
  PageMessage,
  PageObject,
  PageOperator,
  PageQueue,
  PageReconcile,
  PageRight,
  PageTitle,
} from "../cli/page/protocol.ts";

/** Whether the page hears of what goes on. */
export type Connection = "connecting" | "live" | "lost" | "refused";

/** All that is shown. */
export interface PageState {
  readonly connection: Connection;
  readonly title: PageTitle | undefined;
  readonly operator: PageOperator;
  /** By their uids. */
  readonly objects: ReadonlyMap<string, PageObject>;
  /** By their uids. */
  readonly events: ReadonlyMap<string, PageEvent>;
  /** The oldest first. */
  readonly reconciles: readonly PageReconcile[];
  readonly queues: readonly PageQueue[];
  /** When the queues were like that, by the operator's clock. */
  readonly queuesAtMs: number;
  readonly rights: readonly PageRight[];
  readonly problems: readonly string[];
  /** Of the code that was saved last, in lines. */
  readonly mistakes: readonly string[];
}

const MOST_RECONCILES = 2000;
const MOST_EVENTS = 2000;

/** Before anything was told. */
export const NOTHING: PageState = {
  connection: "connecting",
  title: undefined,
  operator: { state: "starting" },
  objects: new Map(),
  events: new Map(),
  reconciles: [],
  queues: [],
  queuesAtMs: 0,
  rights: [],
  problems: [],
  mistakes: [],
};

/** The state after a message. */
export function withMessage(state: PageState, message: PageMessage): PageState {
  switch (message.type) {
    case "title":
      return { ...state, title: message.title };
    case "operator":
      return { ...state, operator: message.operator };
    case "objects": {
      const objects = new Map(message.all ? [] : state.objects);
      for (const uid of message.gone) objects.delete(uid);
      for (const object of message.changed) objects.set(object.uid, object);
      return { ...state, objects };
    }
    case "events": {
      const events = new Map(message.all ? [] : state.events);
      for (const event of message.events) {
        // The latest ones stay: a map hands out first what came first.
        events.delete(event.uid);
        events.set(event.uid, event);
      }
      for (const uid of events.keys()) {
        if (events.size <= MOST_EVENTS) break;
        events.delete(uid);
      }
      return { ...state, events };
    }
    case "reconciles": {
      const known = message.all ? [] : state.reconciles;
      const all = [...known, ...message.entries].slice(-MOST_RECONCILES);
      return { ...state, reconciles: all };
    }
    case "queues":
      return { ...state, queues: message.queues, queuesAtMs: message.nowMs };
    case "rights":
      return { ...state, rights: message.rights };
    case "mistakes":
      return { ...state, mistakes: message.mistakes };
    case "problems":
      return { ...state, problems: message.problems };
  }
}

/** Takes messages as they come, and tells at most once for each picture that is drawn. */
export class PageStore {
  readonly #draw: (run: () => void) => void;
  readonly #listeners = new Set<(state: PageState) => void>();
  #state = NOTHING;
  #waits = false;

  /** @param draw - calls what it is given before the next picture */
  constructor(draw: (run: () => void) => void) {
    this.#draw = draw;
  }

  get state(): PageState {
    return this.#state;
  }

  /** Takes in a message. */
  tell(message: PageMessage): void {
    this.#set(withMessage(this.#state, message));
  }

  /** Takes in how the page hears of what goes on. */
  connect(connection: Connection): void {
    this.#set({ ...this.#state, connection });
  }

  /** Tells of each new state; the function that is returned ends that. */
  subscribe(listener: (state: PageState) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #set(state: PageState): void {
    this.#state = state;
    if (this.#waits) return;
    this.#waits = true;
    this.#draw(() => {
      this.#waits = false;
      for (const listener of this.#listeners) listener(this.#state);
    });
  }
}
