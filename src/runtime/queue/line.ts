/** The order in which keys are worked on. */

/** A key that waits for a worker, or may do so. */
export interface Waiting {
  readonly key: string;
  priority: number;
  /** Its place in line: lower for a key that came earlier, `OUT` for one that is not in line. */
  turn: number;
}

/** The turn of a key that is not in line. */
export const OUT = -1;

/** The keys that wait for a worker, each once. */
export interface Line {
  readonly size: number;
  /** Adds a key that is not in line. */
  add(waiting: Waiting): void;
  /** Gives a key in line a higher priority; a lower one changes nothing. */
  raise(waiting: Waiting, priority: number): void;
  /** Takes out the next key. */
  take(): Waiting | undefined;
}

/**
 * Waiting keys in the order in which they came. Arrays with a head index: taking the first entry of
 * a `Map` again and again walks over all that were taken before.
 */
class Fifo {
  #waiting: Waiting[] = [];
  // The turn that each key had when it came: a key that has another turn by now is not in this line
  // any more.
  #turns: number[] = [];
  #head = 0;

  push(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#turns.push(waiting.turn);
  }

  /** The first key that still waits here. */
  peek(): Waiting | undefined {
    for (;;) {
      const first = this.#waiting[this.#head];
      if (!first) {
        this.#drop();
        return undefined;
      }
      if (first.turn === this.#turns[this.#head]) return first;
      this.#head++;
      if (this.#head > 1000 && this.#head * 2 > this.#waiting.length) this.#drop();
    }
  }

  #drop(): void {
    if (this.#head === 0) return;
    this.#waiting = this.#waiting.slice(this.#head);
    this.#turns = this.#turns.slice(this.#head);
    this.#head = 0;
  }
}

/** First come, first served, whatever the priority. */
export class FifoLine implements Line {
  readonly #fifo = new Fifo();
  #added = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(waiting: Waiting): void {
    waiting.turn = this.#added++;
    this.#size++;
    this.#fifo.push(waiting);
  }

  raise(waiting: Waiting, priority: number): void {
    waiting.priority = Math.max(waiting.priority, priority);
  }

  take(): Waiting | undefined {
    const first = this.#fifo.peek();
    if (!first) return undefined;
    first.turn = OUT;
    this.#size--;
    return first;
  }
}

// One turn in so many goes to the key that waited longest: neither 50,000 keys of a restart nor a
// busy hour starves any key.
const OLDEST_EVERY = 4;

interface Level {
  readonly priority: number;
  readonly fifo: Fifo;
}

/**
 * The highest priority first, and among equals the key that waited longest; but each fourth turn
 * goes to the key that waited longest of all.
 */
export class PriorityLine implements Line {
  // The highest first.
  #levels: Level[] = [];
  #added = 0;
  #turns = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(waiting: Waiting): void {
    this.#size++;
    this.#push(waiting);
  }

  raise(waiting: Waiting, priority: number): void {
    if (priority <= waiting.priority) return;
    waiting.priority = priority;
    this.#push(waiting);
  }

  take(): Waiting | undefined {
    const oldest = ++this.#turns % OLDEST_EVERY === 0;
    let next: Waiting | undefined;
    let empty = false;
    for (const { fifo } of this.#levels) {
      const first = fifo.peek();
      if (!first) empty = true;
      else if (!next || first.turn < next.turn) next = first;
      if (next && !oldest) break;
    }
    if (empty) this.#levels = this.#levels.filter(({ fifo }) => fifo.peek());
    if (!next) return undefined;
    next.turn = OUT;
    this.#size--;
    return next;
  }

  #push(waiting: Waiting): void {
    waiting.turn = this.#added++;
    this.#levelOf(waiting.priority).fifo.push(waiting);
  }

  #levelOf(priority: number): Level {
    const at = this.#levels.findIndex((level) => level.priority <= priority);
    const known = this.#levels[at];
    if (known?.priority === priority) return known;
    const level = { priority, fifo: new Fifo() };
    this.#levels.splice(at < 0 ? this.#levels.length : at, 0, level);
    return level;
  }
}
