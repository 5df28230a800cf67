/** Follows an operator across its restarts: the journals of its processes, their queues, the rights that they used. */
import type { Clock } from "../../clock.ts";
import { reasonOf } from "../../errors.ts";
import type { UsedRight } from "../../runtime/journal/used-rights.ts";
import type { FoundJournals } from "../journal/cluster-journal.ts";
import { readJournal, type JournalPlace } from "../journal/journal-place.ts";
import { followJournal } from "./journal-stream.ts";
import type { PageOperator, PageQueue, PageReconcile } from "./protocol.ts";

/** Finds the operator's processes, anew after each end of one; `undefined` while there are none. */
export type FindOperator = () => Promise<FoundJournals | undefined>;

export interface OperatorListener {
  operator(state: PageOperator): void;
  /** An entry that was not handed over before. */
  reconcile(entry: PageReconcile): void;
  queues(queues: readonly PageQueue[], nowMs: number): void;
  /** The rights that any of its processes used since the page follows them. */
  usedRights(used: readonly UsedRight[]): void;
}

/** The wait for the operator before it is looked for again. */
const SEARCH_MS = 400;
/** The wait after it could not be reached. */
const RETRY_MS = 2000;
const QUEUES_MS = 1000;

/** Follows the operator until `signal` aborts. */
export class OperatorFollower {
  readonly #find: FindOperator;
  readonly #listener: OperatorListener;
  readonly #clock: Clock;
  /** The number of the last entry of each start of the operator. */
  readonly #last = new Map<string, number>();
  /** The rights by the start of the operator: it counts anew in each. */
  readonly #used = new Map<string, readonly UsedRight[]>();

  constructor(find: FindOperator, listener: OperatorListener, clock: Clock) {
    this.#find = find;
    this.#listener = listener;
    this.#clock = clock;
  }

  /** Follows the operator; resolves when `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    let state: PageOperator = { state: "unknown" };
    const tell = (next: PageOperator): void => {
      if (next.state !== state.state || next.problem !== state.problem) {
        this.#listener.operator(next);
      }
      state = next;
    };
    while (!signal.aborted) {
      let waitMs = SEARCH_MS;
      try {
        const found = await this.#find();
        if (found) await this.#followAll(found, signal, () => tell({ state: "running" }));
        const wasThere = state.state === "running" || state.state === "away";
        tell({ state: wasThere ? "away" : "starting" });
      } catch (error) {
        if (!isOver(signal)) tell({ state: "away", problem: reasonOf(error) });
        waitMs = RETRY_MS;
      }
      await this.#clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  /** Follows all processes until the first of them is gone: then all are looked for again. */
  async #followAll(found: FoundJournals, signal: AbortSignal, answered: () => void): Promise<void> {
    const { places } = found;
    const ended = new AbortController();
    const until = AbortSignal.any([signal, ended.signal]);
    const queues = new Map<JournalPlace, readonly PageQueue[]>();
    const parts = places.flatMap((place) => [
      this.#follow(place, until, answered),
      this.#ask(place, queues, until),
    ]);
    try {
      await Promise.race(parts);
    } finally {
      ended.abort();
      await Promise.allSettled(parts);
    }
  }

  async #follow(place: JournalPlace, signal: AbortSignal, answered: () => void): Promise<void> {
    let instance = "";
    await followJournal(
      place,
      {
        began: (now) => {
          instance = now;
          answered();
        },
        ended: (entry) => {
          if (entry.number <= (this.#last.get(instance) ?? 0)) return;
          this.#last.set(instance, entry.number);
          this.#listener.reconcile({ ...entry, instance });
        },
      },
      signal,
    );
  }

  /** Asks for the queues and the rights, of which no event tells. */
  async #ask(
    place: JournalPlace,
    queues: Map<JournalPlace, readonly PageQueue[]>,
    signal: AbortSignal,
  ): Promise<void> {
    let after = 0;
    while (!signal.aborted) {
      const answer = await readJournal(place, this.#clock, after);
      const { instance, nowMs, usedRights = [] } = answer;
      after = answer.entries.at(-1)?.number ?? after;
      queues.set(
        place,
        answer.queues.map((queue) => ({ ...queue, instance })),
      );
      this.#used.set(instance, usedRights);
      this.#listener.queues([...queues.values()].flat(), nowMs);
      this.#listener.usedRights([...this.#used.values()].flat());
      await this.#clock.sleep(QUEUES_MS, signal).catch(() => undefined);
    }
  }
}

function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
