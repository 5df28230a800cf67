/** How long until the control plane answers, against the real one (where it has been built). */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { compare, report } from "./measure.ts";
import { isRealBuilt, startReal, untilInterrupted } from "./real-control-plane.ts";

const FIRST_PORT = 16_480;

/** `tsop cluster`, from the start of the process to its ready line. */
async function startOurs(): Promise<number> {
  const began = performance.now();
  const child: ChildProcess = spawn(process.execPath, ["bin/tsop.js", "cluster", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (!child.stdout) throw new Error("the child has no standard output");
  await once(createInterface(child.stdout), "line");
  const took = performance.now() - began;
  child.kill("SIGTERM");
  await once(child, "exit");
  return took;
}

/** A cluster and ports of its own each time: the start after a stop waits more than a minute for those before. */
function timeReal(round: number): number {
  const began = performance.now();
  const real = startReal(FIRST_PORT + 10 * round);
  const took = performance.now() - began;
  real.stop();
  return took;
}

/** Goal: at most 0.06 times the real one. */
export async function benchControlPlaneStart(): Promise<void> {
  const hasReal = isRealBuilt();
  let round = 0;
  const times = await untilInterrupted(() =>
    compare({ ours: startOurs, ...(hasReal ? { real: () => timeReal(++round) } : {}) }, 3),
  );
  const ours = times["ours"] ?? NaN;
  if (hasReal) {
    report("control plane up", ours, times["real"] ?? NaN, "etcd + kube-apiserver", 0.06);
  } else console.log(`control plane up: ${ours.toFixed(0)} ms (the real one is not built here)`);
}
