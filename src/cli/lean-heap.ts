/**
 * Bounds the memory of a process that serves for long, beside the data that it stores.
 *
 * The engine lets the space of young objects grow to 32 MB when much of it survives, as what a control plane stores
 * does, and the space of old ones by half and more before it looks for garbage there. Less of both takes no more
 * time here: what comes with a request is garbage with its answer, and what is stored is quickly walked. Neither can
 * be set in a process that runs already; but how much the spaces grow by may be changed, down to nothing.
 */
import { setFlagsFromString } from "node:v8";

/** The engine's own settings: a factor for young objects, and for old ones what it finds best. */
const DEFAULTS = [
  "--semi-space-growth-factor=2",
  "--heap-growing-percent=0",
  "--parallel-scavenge",
];
/**
 * Young objects have the space that they have; old ones are collected after each fifth more. For so few young objects
 * other threads take longer to wake than one takes for all, and each begins a page of its own for what survives.
 */
const LEAN = [
  "--semi-space-growth-factor=1",
  "--heap-growing-percent=20",
  "--no-parallel-scavenge",
];

/**
 * Keeps both spaces small from now on.
 *
 * @returns lets both grow again: the engine's code cache is of no use to a process whose settings are others
 */
export function keepHeapLean(): () => void {
  LEAN.forEach((flag) => setFlagsFromString(flag));
  return () => {
    DEFAULTS.forEach((flag) => setFlagsFromString(flag));
  };
}
