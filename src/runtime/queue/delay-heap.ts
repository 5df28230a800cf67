/** Keys that wait for their time: a binary heap by readiness, at most one entry a key. */

interface Entry {
  readonly key: string;
  readyAtMs: number;
  index: number;
}

export class DelayHeap {
  readonly #heap: Entry[] = [];
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#heap.length;
  }

  /** The time at which the first key is ready; `undefined` when none waits. */
  get nextAtMs(): number | undefined {
    return this.#heap[0]?.readyAtMs;
  }

  /** The waiting keys and their times; in no order. */
  entries(): { readonly key: string; readonly readyAtMs: number }[] {
    return this.#heap.map(({ key, readyAtMs }) => ({ key, readyAtMs }));
  }

  /** Makes `key` wait until `readyAtMs`; of two times for one key the earlier counts. */
  push(key: string, readyAtMs: number): void {
    const known = this.#entries.get(key);
    if (known) {
      if (readyAtMs >= known.readyAtMs) return;
      known.readyAtMs = readyAtMs;
      this.#up(known);
      return;
    }
    const entry = { key, readyAtMs, index: this.#heap.length };
    this.#entries.set(key, entry);
    this.#heap.push(entry);
    this.#up(entry);
  }

  /** Takes out the first key that is ready at `nowMs`. */
  popReady(nowMs: number): string | undefined {
    const first = this.#heap[0];
    if (!first || first.readyAtMs > nowMs) return undefined;
    const last = this.#heap.pop();
    if (last && last !== first) {
      this.#place(last, 0);
      this.#down(last);
    }
    this.#entries.delete(first.key);
    return first.key;
  }

  clear(): void {
    this.#heap.length = 0;
    this.#entries.clear();
  }

  #place(entry: Entry, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }

  #up(entry: Entry): void {
    for (;;) {
      const parent = this.#heap[(entry.index - 1) >> 1];
      if (entry.index === 0 || !parent || parent.readyAtMs <= entry.readyAtMs) return;
      const index = parent.index;
      this.#place(parent, entry.index);
      this.#place(entry, index);
    }
  }

  #down(entry: Entry): void {
    for (;;) {
      const left = this.#heap[2 * entry.index + 1];
      const right = this.#heap[2 * entry.index + 2];
      // Go's container/heap takes the left child on a tie; keys that are due together keep that order.
      const child = right && left && right.readyAtMs < left.readyAtMs ? right : left;
      if (!child || child.readyAtMs >= entry.readyAtMs) return;
      const index = child.index;
      this.#place(child, entry.index);
      this.#place(entry, index);
    }
  }
}
