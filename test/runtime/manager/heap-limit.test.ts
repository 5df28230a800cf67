import { describe, expect, it } from "vitest";
import { heapProblem, memoryLimits } from "../../../src/runtime/manager/heap-limit.ts";

const MI = 2 ** 20;

describe("the limit of the heap", () => {
  it("fits what V8 gives three quarters of a container's memory", () => {
    // The old generation's share, and V8's young generation of up to 48 MiB in large heaps.
    for (const [container, heap] of [
      [128, 99],
      [384, 300],
      [1024, 792],
      [8192, 6144 + 48],
    ] as const) {
      expect(heapProblem({ heap: heap * MI, container: container * MI })).toBeUndefined();
    }
  });

  it("is a problem if the kernel kills the process first", () => {
    expect(heapProblem({ heap: 259 * MI, container: 256 * MI })).toBe(
      "The heap can grow to 259 MiB, and the container's memory limit is 256 MiB: if memory runs out, the kernel kills the process (exit code 137) before Node.js can report it. Set NODE_OPTIONS to --max-old-space-size-percentage=75 (Node.js 22.20 or later) or --max-old-space-size=192, or raise the memory limit.",
    );
  });

  it("is no problem without a container", () => {
    expect(heapProblem({ heap: 4096 * MI, container: undefined })).toBeUndefined();
  });

  it("is known of this process", () => {
    expect(memoryLimits().heap).toBeGreaterThan(16 * MI);
  });
});
