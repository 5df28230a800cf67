/** The time until the control plane answers, against the real one (where it has been built). */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { createInterface } from "node:readline";
import { startControlPlane } from "../src/testing.ts";
import { compare, median, report } from "./measure.ts";
import { isRealBuilt, startReal, untilInterrupted } from "./real-control-plane.ts";

const FIRST_PORT = 16_480;

/** `tsop cluster`, from the start of the process until a request is answered. */
async function startOurs(): Promise<number> {
  const began = performance.now();
  const child: ChildProcess = spawn(process.execPath, ["bin/tsop.js", "cluster", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (!child.stdout) throw new Error("the child has no standard output");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  await untilReady((JSON.parse(line) as { url: string }).url);
  const took = performance.now() - began;
  child.kill("SIGTERM");
  await once(child, "exit");
  return took;
}

async function untilReady(url: string): Promise<void> {
  const asked = get(`${url}/readyz`, { agent: false, rejectUnauthorized: false });
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  answer.resume();
  if (answer.statusCode !== 200) throw new Error(`/readyz answers ${answer.statusCode ?? 0}`);
}

/** A new cluster with new ports each time: a restart on the same ones waits more than a minute. */
function timeReal(round: number): number {
  const began = performance.now();
  const real = startReal(FIRST_PORT + 10 * round);
  const took = performance.now() - began;
  real.stop();
  return took;
}

/** What a test pays for a control plane of its own: the time of one processor. Goal: at most 300 ms. */
async function reportInTests(): Promise<void> {
  const costs: number[] = [];
  for (let run = 0; run < 5; run++) {
    const before = process.cpuUsage();
    const cluster = await startControlPlane({ listen: false });
    const { user, system } = process.cpuUsage(before);
    await cluster.stop();
    costs.push((user + system) / 1000);
  }
  const verdict = Math.min(...costs) <= 300 ? "met" : "MISSED";
  console.log(`control plane of a test: ${median(costs).toFixed(0)} ms  goal 300 ms ${verdict}`);
}

/** Goal: at most 0.06 times the real one. */
export async function benchControlPlaneStart(): Promise<void> {
  const hasReal = isRealBuilt();
  let round = 0;
  const times = await untilInterrupted(() =>
    compare({ ours: startOurs, ...(hasReal ? { real: () => timeReal(++round) } : {}) }, 7),
  );
  const ours = times["ours"] ?? NaN;
  if (hasReal) {
    report("control plane up", ours, times["real"] ?? NaN, "etcd + kube-apiserver", 0.06);
  } else console.log(`control plane up: ${ours.toFixed(0)} ms (the real one is not built here)`);
  await reportInTests();
}
