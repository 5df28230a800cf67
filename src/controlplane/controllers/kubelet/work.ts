/** Work that takes virtual time. */

/** Work that yields for how many milliseconds it waits. */
export type Work<Result = void> = AsyncGenerator<number, Result, void>;

/** Does several pieces of work at the same time. */
export async function* together(works: readonly Work[], nowMs: () => number): Work {
  const waiting = new Map<Work, number>(works.map((work) => [work, nowMs()]));
  while (waiting.size > 0) {
    const next = Math.min(...waiting.values());
    if (next > nowMs()) yield next - nowMs();
    for (const [work, dueMs] of waiting) {
      if (dueMs > nowMs()) continue;
      const step = await work.next();
      if (step.done === true) waiting.delete(work);
      else waiting.set(work, nowMs() + step.value);
    }
  }
}
