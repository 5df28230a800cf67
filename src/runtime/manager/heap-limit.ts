/** Whether the heap's limit fits the memory limit of the container. */
import { getHeapStatistics } from "node:v8";
import { containerLimit } from "../serving/server-limits.ts";

/** The limits of a process, in bytes; `container` is undefined outside of a container with a limit. */
export interface MemoryLimits {
  readonly heap: number;
  readonly container: number | undefined;
}

/** What the process needs besides its heap: code, threads, buffers, and sockets. */
const HEAP_PART = 0.75;
/** The largest part with which Node.js notices that memory is short before the kernel does. */
const LARGEST_PART = 0.85;

/** The limits of this process. */
export function memoryLimits(): MemoryLimits {
  return { heap: getHeapStatistics().heap_size_limit, container: containerLimit() };
}

/** What is wrong with the limits, and what to do; `undefined` if the heap fits. */
export function heapProblem({ heap, container }: MemoryLimits): string | undefined {
  if (container === undefined || heap <= container * LARGEST_PART) return undefined;
  const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
  const fitting = Math.floor((container * HEAP_PART) / 2 ** 20);
  return `The heap can grow to ${mebibytes(heap)} MiB, and the container's memory limit is ${mebibytes(container)} MiB: if memory runs out, the kernel kills the process (exit code 137) before Node.js can report it. Set NODE_OPTIONS to --max-old-space-size-percentage=75 (Node.js 22.20 or later) or --max-old-space-size=${fitting}, or raise the memory limit.`;
}
