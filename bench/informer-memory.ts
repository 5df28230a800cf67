/**
 * The memory that one contender needs for its objects, in a process of its own: `CONTENDER PORT COUNT`, the CA on
 * standard input. Prints `{ heap, rss }` in bytes an object.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { CONTENDERS } from "./informer-contenders.ts";

const [contender = "", port = "", count = ""] = process.argv.slice(2);
const sync = CONTENDERS[contender];
const { gc: collect } = globalThis as { gc?: () => void };
if (!sync || !collect) throw new Error(`no contender ${contender}, or no --expose-gc`);

function used(): { heap: number; rss: number } {
  collect?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

const server = { port: Number(port), ca: readFileSync(0, "utf8") };
// Once for nothing: what code and connections need is not counted.
await (await sync(server)).stop();
const before = used();
const synced = await sync(server);
// Twice: what the first collection finalises the second one frees.
collect();
const after = used();
const each = (bytes: number): number => Math.round(bytes / Number(count));
console.log(
  JSON.stringify({ heap: each(after.heap - before.heap), rss: each(after.rss - before.rss) }),
);
await synced.stop();
