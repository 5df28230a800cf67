/** The state of a page, and those who look at it: a newcomer gets all of it, then the changes. */
import type { Clock, Timer } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { UsedRight } from "../../runtime/journal/used-rights.ts";
import type { Transport } from "../../runtime/transport/transport.ts";
import { ObjectWatch, type WatchScope } from "./object-watch.ts";
import { OperatorFollower, type FindOperator } from "./operator-follower.ts";
import type { PageMessage, PageOperator, PageReconcile, PageTitle } from "./protocol.ts";
import { rightsTable, type GrantedRight } from "./rights-table.ts";

/** The present state of a project; it may be another after a save. */
export interface PageScope extends WatchScope {
  readonly granted: readonly GrantedRight[];
}

export interface PageSource {
  readonly title: Omit<PageTitle, "hasObjects" | "kinds">;
  /** The way to the cluster; absent where there is none. */
  readonly openTransport?: () => Transport;
  readonly findOperator: FindOperator;
  readonly clock: Clock;
}

type Listener = (message: PageMessage) => void;

/** The time for which changes are gathered: a roll-out of a hundred pods is a few messages. */
const GATHER_MS = 100;
/** The most reconciles that are kept: as many as a journal keeps. */
const MOST_RECONCILES = 1000;
/** The API server is asked again what it serves. */
const RETRY_MS = 2000;

export class PageModel {
  readonly #source: PageSource;
  readonly #listeners = new Set<Listener>();
  readonly #ended = new AbortController();
  readonly #reconciles: PageReconcile[] = [];
  #scope: PageScope = { roots: [], granted: [] };
  #used: readonly UsedRight[] = [];
  #operator: PageOperator = { state: "unknown" };
  #isLoaded = false;
  #isToldLoaded = false;
  #queues: PageMessage | undefined;
  #problems: readonly string[] = [];
  #mistakes: readonly string[] = [];
  #serving: string | undefined;
  #watch: ObjectWatch | undefined;
  #running: Promise<void> | undefined;
  #gathering: Timer | undefined;

  constructor(source: PageSource) {
    this.#source = source;
  }

  /** Takes the project as it is from now on. */
  setScope(scope: PageScope): void {
    this.#scope = scope;
    this.#tell(this.#titleMessage());
    this.#tell(this.#rightsMessage());
    if (this.#watch) this.#extend(this.#watch);
  }

  /** Takes the mistakes in the code that was saved last, in lines; none when it runs. */
  setMistakes(mistakes: readonly string[]): void {
    if (mistakes.length === 0 && this.#mistakes.length === 0) return;
    this.#mistakes = mistakes;
    this.#tell({ type: "mistakes", mistakes });
  }

  /** Hands over all messages that there are, then each change, until `signal` aborts. */
  look(listener: Listener, signal: AbortSignal): void {
    this.#start();
    listener(this.#titleMessage());
    listener({ type: "operator", operator: this.#operator });
    const changed = this.#watch?.objects.all() ?? [];
    listener({ type: "objects", all: true, isLoaded: this.#isLoaded, changed, gone: [] });
    listener({ type: "events", all: true, events: this.#watch?.events(true) ?? [] });
    listener({ type: "reconciles", all: true, entries: [...this.#reconciles] });
    if (this.#queues) listener(this.#queues);
    listener(this.#rightsMessage());
    listener({ type: "problems", problems: this.#problems });
    listener({ type: "mistakes", mistakes: this.#mistakes });
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  /** Ends watches and connections. */
  async stop(): Promise<void> {
    this.#ended.abort();
    this.#gathering?.cancel();
    await Promise.all([this.#running, this.#watch?.stop()]);
  }

  #start(): void {
    if (this.#running || this.#ended.signal.aborted) return;
    const { openTransport, findOperator, clock } = this.#source;
    if (openTransport) {
      this.#watch = new ObjectWatch(openTransport(), clock, () => {
        this.#gather();
      });
      this.#extend(this.#watch);
    }
    const follower = new OperatorFollower(
      findOperator,
      {
        operator: (operator) => {
          this.#operator = operator;
          this.#tell({ type: "operator", operator });
        },
        reconcile: (entry) => {
          this.#reconciles.push(entry);
          if (this.#reconciles.length > MOST_RECONCILES) this.#reconciles.shift();
          this.#tell({ type: "reconciles", entries: [entry] });
        },
        queues: (queues, nowMs) => {
          this.#queues = { type: "queues", queues, nowMs };
          this.#tell(this.#queues);
          // A watch that fails tells nobody.
          this.#tellProblems();
        },
        usedRights: (used) => {
          if (JSON.stringify(used) === JSON.stringify(this.#used)) return;
          this.#used = used;
          this.#tell(this.#rightsMessage());
        },
      },
      clock,
    );
    this.#running = follower.run(this.#ended.signal);
  }

  #extend(watch: ObjectWatch): void {
    const { clock } = this.#source;
    const scope = this.#scope;
    watch.extend(scope).then(
      () => {
        this.#serving = undefined;
        this.#tellProblems();
        void watch.synced().then(() => {
          this.#isLoaded = true;
          this.#tellObjects(watch);
        });
      },
      (error: unknown) => {
        this.#serving = messageOf(error);
        this.#tellProblems();
        const again = (): void => {
          if (scope === this.#scope && !this.#ended.signal.aborted) this.#extend(watch);
        };
        clock.after(RETRY_MS, again, { unref: true });
      },
    );
  }

  #gather(): void {
    this.#gathering ??= this.#source.clock.after(
      GATHER_MS,
      () => {
        this.#gathering = undefined;
        if (!this.#watch) return;
        this.#tellObjects(this.#watch);
        const events = this.#watch.events(false);
        if (events.length > 0) this.#tell({ type: "events", events });
        this.#tellProblems();
      },
      { unref: true },
    );
  }

  #tellObjects({ objects }: ObjectWatch): void {
    const { changed, gone } = objects.changes();
    const isLoaded = this.#isLoaded;
    const isNews = changed.length + gone.length > 0 || isLoaded !== this.#isToldLoaded;
    this.#isToldLoaded = isLoaded;
    if (isNews) this.#tell({ type: "objects", isLoaded, changed, gone });
  }

  #tellProblems(): void {
    const problems = [
      ...(this.#serving === undefined ? [] : [this.#serving]),
      ...(this.#watch?.problems() ?? []),
    ];
    if (JSON.stringify(problems) === JSON.stringify(this.#problems)) return;
    this.#problems = problems;
    this.#tell({ type: "problems", problems });
  }

  #titleMessage(): PageMessage {
    const { title, openTransport } = this.#source;
    const kinds = this.#scope.roots.map(({ kind }) => kind);
    return { type: "title", title: { ...title, hasObjects: openTransport !== undefined, kinds } };
  }

  #rightsMessage(): PageMessage {
    return { type: "rights", rights: rightsTable(this.#scope.granted, this.#used) };
  }

  #tell(message: PageMessage): void {
    for (const listener of this.#listeners) listener(message);
  }
}
