/** The time of `tsop --version`, against Node running an empty script. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare, report, run } from "./measure.ts";

/** Goal: at most 1.3 times. */
export async function benchCliStart(): Promise<void> {
  const empty = join(mkdtempSync(join(tmpdir(), "tsop-bench-")), "empty.mjs");
  writeFileSync(empty, "");
  const times = await compare(
    {
      empty: () => run(process.execPath, [empty]),
      version: () => run(process.execPath, ["bin/tsop.js", "--version"]),
      help: () => run(process.execPath, ["bin/tsop.js", "--help"]),
    },
    15,
  );
  report("tsop --version", times["version"] ?? NaN, times["empty"] ?? NaN, "empty script", 1.3);
  report("tsop --help", times["help"] ?? NaN, times["empty"] ?? NaN, "empty script");
}
