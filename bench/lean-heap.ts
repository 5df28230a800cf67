/** What bounding the heap of a control plane spares: both measurements are of processes that do nothing else. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

const SOURCE = new URL("../src/cli/lean-heap.ts", import.meta.url);

/** How large the space for young objects is, in MB, after much has been stored in several turns. */
function youngSpaceMb(bound: boolean): number {
  const { code } = transformSync(readFileSync(SOURCE, "utf8"), { loader: "ts" });
  const script = `${code}
    import { getHeapSpaceStatistics } from "node:v8";
    const kept = [];
    if (${bound}) keepHeapLean();
    for (let turn = 0; turn < 150; turn++) {
      for (let count = 0; count < 2000; count++) kept.push({ name: "item-" + count, count: [count] });
      await new Promise((resolve) => setImmediate(resolve));
    }
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    console.log(kept.length > 0 ? young.space_size / 1024 / 1024 : 0);`;
  const args = ["--input-type=module", "--eval", script];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

/** How much of what a process holds is garbage at most, in MB, while it stores 60 MB more and more. */
function garbageMb(lean: boolean): number {
  const { code } = transformSync(readFileSync(SOURCE, "utf8"), { loader: "ts" });
  const script = `${code}
    import { getHeapStatistics } from "node:v8";
    const kept = [];
    if (${lean}) keepHeapLean();
    let most = 0;
    for (let turn = 0; turn < 3000; turn++) {
      const text = Buffer.alloc(20_000, "x").toString("latin1");
      kept.push(text);
      globalThis.dropped = Array.from({ length: 5 }, () => Buffer.alloc(20_000, "y").toString("latin1"));
      most = Math.max(most, getHeapStatistics().used_heap_size - kept.length * 20_000);
    }
    console.log(most / 1024 / 1024);`;
  const args = ["--input-type=module", "--eval", script];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

/** Prints both with the engine's own settings and with ours; the same on every machine of one Node. */
export function benchLeanHeap(): Promise<void> {
  for (const [what, measure] of [
    ["space of young objects", youngSpaceMb],
    ["garbage at most", garbageMb],
  ] as const) {
    const [own, lean] = [measure(false), measure(true)].map((mb) => mb.toFixed(1));
    console.log(`lean-heap: ${what} ${lean} MB, against ${own} MB with the engine's own settings`);
  }
  return Promise.resolve();
}
