import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { fileURLToPath } from "node:url";
import v8 from "node:v8";
import { transformSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { keepHeapLean } from "../../src/cli/lean-heap.ts";

const SOURCE = fileURLToPath(new URL("../../src/cli/lean-heap.ts", import.meta.url));

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

  it("sets what the engine has settings for, and gives back its own", () => {
    const flags: string[] = [];
    const original = v8.setFlagsFromString;
    v8.setFlagsFromString = (flag) => void flags.push(flag);
    syncBuiltinESMExports();
    try {
      keepHeapLean()();
    } finally {
      v8.setFlagsFromString = original;
      syncBuiltinESMExports();
    }
    const { length } = flags;
    const [lean, released] = [flags.slice(0, length / 2), flags.slice(length / 2)];
    const options = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
    const engine = released.map((flag) => {
      const [, name = ""] = /^--([a-z-]+)/.exec(flag) ?? [];
      const [, setting] = new RegExp(`^ *--${name} .*\n.*default: (\\S+)`, "m").exec(options) ?? [];
      return setting;
    });
    expect(released).toEqual(engine);
    const nameOf = (flag: string): string => flag.replace(/^--(?:no-)?|=.*$/g, "");
    expect(lean.map(nameOf)).toEqual(released.map(nameOf));
    expect(lean).not.toContainEqual(expect.toSatisfy((flag) => released.includes(String(flag))));
  });
});
