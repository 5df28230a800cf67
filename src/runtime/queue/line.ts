/**
 * In which order keys are worked on.
 *
 * @module
 */
/** Keys that wait for a worker, each once. */
export interface Line {
  readonly size: number;
  has(key: string): boolean;
  /** Puts a key in line, or gives one that is there a higher priority. */
  add(key: string, priority: number): void;
  /** Takes out the key whose turn it is, with its priority. */
  take(): { readonly key: string; readonly priority: number } | undefined;
}

interface Entry {
  readonly key: string;
  /** Who came first has the lower one. */
  readonly turn: number;
  priority: number;
  gone: boolean;
}

/**
 * Entries in the order in which they came. An array with a head: taking the first of a `Map` again and again walks
 * over all that were taken before.
 */
class Fifo {
  #entries: Entry[] = [];
  #head = 0;

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** The first that is not gone. */
  peek(): Entry | undefined {
    let first = this.#entries[this.#head];
    while (first?.gone) first = this.#entries[++this.#head];
    if (this.#head > 1000 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return first;
  }
}

/** First come, first served, whatever the priority. */
export class FifoLine implements Line {
  readonly #fifo = new Fifo();
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  add(key: string, priority: number): void {
    const known = this.#entries.get(key);
    if (known) {
      known.priority = Math.max(known.priority, priority);
      return;
    }
    const entry = { key, priority, turn: 0, gone: false };
    this.#entries.set(key, entry);
    this.#fifo.push(entry);
  }

  take(): { readonly key: string; readonly priority: number } | undefined {
    const first = this.#fifo.peek();
    if (!first) return undefined;
    first.gone = true;
    this.#entries.delete(first.key);
    return first;
  }
}

// One turn in so many goes to who waited longest: neither 50,000 keys of a restart nor a busy hour starve anybody.
const OLDEST_EVERY = 4;

/**
 * The highest priority first, and among equals the one that waited longest; but each fourth turn is that of the key
 * that waited longest of all.
 */
export class PriorityLine implements Line {
  readonly #levels = new Map<number, Fifo>();
  readonly #entries = new Map<string, Entry>();
  #added = 0;
  #turns = 0;

  get size(): number {
    return this.#entries.size;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  add(key: string, priority: number): void {
    const known = this.#entries.get(key);
    if (known) {
      if (priority <= known.priority) return;
      known.gone = true;
    }
    const entry = { key, priority, turn: this.#added++, gone: false };
    this.#entries.set(key, entry);
    const level = this.#levels.get(priority) ?? new Fifo();
    this.#levels.set(priority, level);
    level.push(entry);
  }

  take(): { readonly key: string; readonly priority: number } | undefined {
    const oldest = ++this.#turns % OLDEST_EVERY === 0;
    let next: Entry | undefined;
    for (const [priority, level] of this.#levels) {
      const first = level.peek();
      if (!first) this.#levels.delete(priority);
      else if (!next || (oldest ? first.turn < next.turn : priority > next.priority)) {
        next = first;
      }
    }
    if (!next) return undefined;
    next.gone = true;
    this.#entries.delete(next.key);
    return next;
  }
}
