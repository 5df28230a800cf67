/** How long until the control plane answers, against the real one (where it has been built). */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sharedPath } from "../test/support/shared.ts";
import { compare, report } from "./measure.ts";

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
function startReal(tool: string, home: string, round: number): number {
  const name = `bench-${process.pid}-${round}`;
  const port = String(FIRST_PORT + 10 * round);
  const began = performance.now();
  const { status, stderr } = spawnSync(tool, ["start", name, port], { encoding: "utf8" });
  const took = performance.now() - began;
  spawnSync(tool, ["stop", name]);
  rmSync(join(home, name), { recursive: true, force: true });
  if (status !== 0) throw new Error(stderr);
  return took;
}

/** Goal: at most 0.06 times the real one. */
export async function benchControlPlaneStart(): Promise<void> {
  const tool = sharedPath("tools", "real-apiserver");
  const home = process.env["REAL_HOME"] ?? join(tmpdir(), "real-apiserver");
  const real = existsSync(tool) && existsSync(join(home, "bin", "kube-apiserver"));
  let round = 0;
  const times = await compare(
    {
      ours: startOurs,
      ...(real ? { real: () => startReal(tool, home, ++round) } : {}),
    },
    3,
  );
  const ours = times["ours"] ?? NaN;
  if (real) report("control plane up", ours, times["real"] ?? NaN, "etcd + kube-apiserver", 0.06);
  else console.log(`control plane up: ${ours.toFixed(0)} ms (the real one is not built here)`);
}
