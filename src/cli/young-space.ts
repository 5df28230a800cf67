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

/** Keeps the space of young objects as it is, or as it is once it has 4 MB. */
export function boundYoungSpace(): void {
  if (isEnough()) {
    stopGrowth();
    return;
  }
  const observer = new PerformanceObserver(() => {
    if (!isEnough()) return;
    stopGrowth();
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}

function isEnough(): boolean {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return young === undefined || young.space_size >= ENOUGH_BYTES;
}

function stopGrowth(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
