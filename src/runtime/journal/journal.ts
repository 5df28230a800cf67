/** The latest reconciles of an operator, in bounded memory. */
import type { Clock } from "../../clock.ts";
import { groupResourceOf } from "../../kube/resource.ts";
import type { InformerCache } from "../cache/cache.ts";
import type {
  Cause,
  ObservedReconcile,
  ObservedStart,
  ReconcileObserver,
} from "../controller/reconcile-observer.ts";
import type { JournalCause, JournalEntry } from "./entry.ts";
import { fieldChanges } from "./field-changes.ts";
import { KnownObjects } from "./known-objects.ts";
import { RecordedReconcile } from "./recorded-reconcile.ts";

/** How many reconciles are kept that wrote or failed, and how many others. */
const MOST_OF_EACH = 500;
const MOST_BYTES = 16 * 1024 * 1024;

interface Kept {
  readonly entry: JournalEntry;
  readonly bytes: number;
}

export class Journal implements ReconcileObserver {
  readonly wantsOrigins = true;
  readonly #clock: Clock;
  readonly #cache: Pick<InformerCache, "findByName" | "resourceOfKind">;
  readonly #known: KnownObjects;
  /** Kept apart: a thousand reconciles without effect must not push these out. */
  readonly #telling: Kept[] = [];
  readonly #quiet: Kept[] = [];
  readonly #listeners = new Set<(entry: JournalEntry) => void>();
  #bytes = 0;
  #count = 0;

  constructor(clock: Clock, cache: Pick<InformerCache, "findByName" | "resourceOfKind">) {
    this.#clock = clock;
    this.#cache = cache;
    this.#known = new KnownObjects((resource, namespace, name) =>
      cache.findByName(resource, { namespace, name }),
    );
  }

  reconcile(start: ObservedStart): ObservedReconcile {
    const causes = start.origins.map((cause) => this.#causeOf(cause));
    return new RecordedReconcile(start, causes, {
      clock: this.#clock,
      known: this.#known,
      ended: (entry) => {
        this.#keep({ number: ++this.#count, ...entry });
      },
    });
  }

  /** All kept entries, the oldest first. @param after - only those with a higher number */
  entries(after = 0): JournalEntry[] {
    return [...this.#telling, ...this.#quiet]
      .map(({ entry }) => entry)
      .filter(({ number }) => number > after)
      .sort((a, b) => a.number - b.number);
  }

  /** Passes each reconcile that ends from now on to the listener, until `signal` is aborted. */
  follow(listener: (entry: JournalEntry) => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  #keep(entry: JournalEntry): void {
    const list = entry.writes.length > 0 || entry.error ? this.#telling : this.#quiet;
    const bytes = JSON.stringify(entry).length;
    list.push({ entry, bytes });
    this.#bytes += bytes;
    if (list.length > MOST_OF_EACH) this.#drop(list);
    while (this.#bytes > MOST_BYTES)
      this.#drop(this.#quiet.length > 0 ? this.#quiet : this.#telling);
    for (const listener of this.#listeners) listener(entry);
  }

  #drop(list: Kept[]): void {
    this.#bytes -= list.shift()?.bytes ?? 0;
  }

  #causeOf({ type, text, event }: Cause): JournalCause {
    if (!event) return { type, text };
    const { object } = event;
    const { namespace, name, resourceVersion } = object.metadata;
    const { kind } = object;
    const info = this.#cache.resourceOfKind(object);
    const resource = info ? groupResourceOf(info) : kind.toLowerCase();
    const writtenBy = this.#known.writerOf(resource, object);
    const isSecret = resource === "secrets";
    const changes = event.type === "update" ? fieldChanges(event.old, object, isSecret) : undefined;
    return {
      type,
      text,
      object: { kind, resource, ...(namespace ? { namespace } : {}), name, resourceVersion },
      ...changes,
      ...(writtenBy !== undefined && { writtenBy }),
    };
  }
}
