/**
 * Bounds what a process that serves for long gives to young objects.
 *
 * The engine lets their space grow to 32 MB when much of it survives, as what a control plane stores does. A small
 * one is as quick there: what comes with a request is garbage with its answer. There is no setting for that
 * in a process that runs already; but how much the space grows by may be changed, down to nothing.
 *
 * @module
 */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Both halves together. */
const ENOUGH_BYTES = 4 * 1024 * 1024;
/** The engine's own. */
const DEFAULT_GROWTH = 2;

/**
 * Keeps the space of young objects as it is, or as it is once it has 4 MB.
 *
 * @returns lets it grow again: the engine's code cache is of no use to a process whose settings are others
 */
export function boundYoungSpace(): () => void {
  const observer = new PerformanceObserver(() => {
    if (!isEnough()) return;
    growBy(1);
    observer.disconnect();
  });
  if (isEnough()) growBy(1);
  else observer.observe({ entryTypes: ["gc"] });
  return () => {
    observer.disconnect();
    growBy(DEFAULT_GROWTH);
  };
}

function isEnough(): boolean {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return young === undefined || young.space_size >= ENOUGH_BYTES;
}

function growBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
