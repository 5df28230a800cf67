/**
 * The memory that one contender needs for its objects, in a process of its own: `CONTENDER COUNT`, the server on standard
 * input. Prints the bytes of heap and of resident memory that an object takes, and the process's peak in bytes.
 */
import { readFileSync } from "node:fs";
import { systemClock } from "../src/clock.ts";
import { CONTENDERS, type BenchServer } from "./informer-contenders.ts";

const [contender = "", count = ""] = process.argv.slice(2);
const sync = CONTENDERS[contender];
const { gc: collect } = globalThis as { gc?: () => void };
if (!sync || !collect) throw new Error(`no contender ${contender}, or no --expose-gc`);

/**
 * Waits until closed connections are freed, then collects twice: the second collection frees what
 * the first finalised.
 */
async function used(): Promise<{ heap: number; resident: number }> {
  collect?.();
  await systemClock.sleep(500);
  collect?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss };
}

const server = JSON.parse(readFileSync(0, "utf8")) as BenchServer;
const before = await used();
const synced = await sync(server);
const after = await used();
const each = (bytes: number): number => Math.round(bytes / Number(count));
console.log(
  JSON.stringify({
    heap: each(after.heap - before.heap),
    resident: each(after.resident - before.resident),
    peak: process.resourceUsage().maxRSS * 1024,
  }),
);
await synced.stop();
