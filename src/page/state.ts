/** The state of the page, computed from the messages that it received. Pure. */
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

export type Connection = "connecting" | "live" | "lost" | "refused";

export interface PageState {
  readonly connection: Connection;
  readonly title: PageTitle | undefined;
  readonly operator: PageOperator;
  readonly objects: ReadonlyMap<string, PageObject>;
  /** Whether all objects that there are were told. */
  readonly isLoaded: boolean;
  readonly events: ReadonlyMap<string, PageEvent>;
  /** Reconciles, the oldest first. */
  readonly reconciles: readonly PageReconcile[];
  readonly queues: readonly PageQueue[];
  /** The time of the queues, by the operator's clock. */
  readonly queuesAtMs: number;
  readonly rights: readonly PageRight[];
  readonly problems: readonly string[];
  readonly mistakes: readonly string[];
}

const MOST_RECONCILES = 2000;
const MOST_EVENTS = 2000;

/** The state before the first message. */
export const NOTHING: PageState = {
  connection: "connecting",
  title: undefined,
  operator: { state: "unknown" },
  objects: new Map(),
  isLoaded: false,
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
      return { ...state, objects, isLoaded: message.isLoaded ?? state.isLoaded };
    }
    case "events": {
      const events = new Map(message.all ? [] : state.events);
      for (const event of message.events) {
        // The latest events stay: a map returns its oldest entry first.
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

/** Receives messages, and notifies listeners at most once per frame. */
export class PageStore {
  readonly #draw: (run: () => void) => void;
  readonly #listeners = new Set<(state: PageState) => void>();
  #state = NOTHING;
  #waits = false;

  /** @param draw - calls its argument before the next frame */
  constructor(draw: (run: () => void) => void) {
    this.#draw = draw;
  }

  get state(): PageState {
    return this.#state;
  }

  tell(message: PageMessage): void {
    this.#set(withMessage(this.#state, message));
  }

  connect(connection: Connection): void {
    this.#set({ ...this.#state, connection });
  }

  /** Calls the listener with each new state; the returned function removes it. */
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
