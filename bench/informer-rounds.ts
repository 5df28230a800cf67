/**
 * One contender's rounds, in a process of its own: neither the code nor the garbage of another
 * contender affects it.
 *
 * `CONTENDER`; the first line on standard input is the server, and each line after it asks for a
 * round. Prints a line for each of them: a `Round`.
 */
import { createInterface } from "node:readline";
import { CONTENDERS, type BenchServer } from "./informer-contenders.ts";

/** The time of a sync, in milliseconds: real time, and processor time. */
export interface Round {
  readonly ms: number;
  readonly cpuMs: number;
}

const [contender = ""] = process.argv.slice(2);
const sync = CONTENDERS[contender];
if (!sync) throw new Error(`no contender ${contender}`);

let server: BenchServer | undefined;
for await (const line of createInterface(process.stdin)) {
  if (!server) {
    server = JSON.parse(line) as BenchServer;
    continue;
  }
  // V8 collects the garbage of the previous round when it likes: forcing it would throw away
  // compiled code as well.
  const cpu = process.cpuUsage();
  const began = performance.now();
  const synced = await sync(server);
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const round: Round = { ms, cpuMs: (user + system) / 1000 };
  await synced.stop();
  console.log(JSON.stringify(round));
}
