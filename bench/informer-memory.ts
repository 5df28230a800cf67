/**
 * The memory that one contender needs for its objects, in a process of its own: `CONTENDER PORT COUNT`, the CA on
 * standard input. Prints the bytes of heap an object takes.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { systemClock } from "../src/clock.ts";
import { CONTENDERS } from "./informer-contenders.ts";

const [contender = "", port = "", count = ""] = process.argv.slice(2);
const sync = CONTENDERS[contender];
const { gc: collect } = globalThis as { gc?: () => void };
if (!sync || !collect) throw new Error(`no contender ${contender}, or no --expose-gc`);

/** After a while, in which closed connections go, and two collections: the second frees what the first finalised. */
async function used(): Promise<number> {
  collect?.();
  await systemClock.sleep(500);
  collect?.();
  return process.memoryUsage().heapUsed;
}

const server = { port: Number(port), ca: readFileSync(0, "utf8") };
// Once for nothing: what code and connections need is not counted.
await (await sync(server)).stop();
const before = await used();
const synced = await sync(server);
const bytes = (await used()) - before;
console.log(Math.round(bytes / Number(count)));
await synced.stop();
