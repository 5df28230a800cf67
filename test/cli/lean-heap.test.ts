import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { describe, expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../../src/cli/lean-heap.ts", import.meta.url));

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

/** Whether a process that was bounded leaves a code cache that a new process takes. */
function cacheIsTaken(): boolean {
  const { code } = transformSync(readFileSync(SOURCE, "utf8"), { loader: "ts" });
  const evaluate = (script: string): string =>
    execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  const source = JSON.stringify("(function () { return 1; })");
  const cache = evaluate(`${code}
    import { Script } from "node:vm";
    const script = new Script(${source});
    script.runInThisContext()();
    keepHeapLean()();
    console.log(script.createCachedData().toString("base64"));`);
  const taken = evaluate(`
    import { Script } from "node:vm";
    const cachedData = Buffer.from(${JSON.stringify(cache)}, "base64");
    console.log(!new Script(${source}, { cachedData }).cachedDataRejected);`);
  return taken.trim() === "true";
}

describe("keepHeapLean", () => {
  it("leaves no trace in the code cache once it is released", () => {
    expect(cacheIsTaken()).toBe(true);
  });

  it("collects old objects before much of them is garbage", { timeout: 60_000 }, () => {
    expect(garbageMb(true)).toBeLessThan(garbageMb(false));
  });

  it(
    "keeps the space of young objects small while what is stored survives",
    { timeout: 60_000 },
    () => {
      expect(youngSpaceMb(false)).toBeGreaterThan(8);
      expect(youngSpaceMb(true)).toBeLessThanOrEqual(4);
    },
  );
});
