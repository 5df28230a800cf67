/** How long until the control plane answers, against the real one (where it has been built). */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sharedPath } from "../test/support/shared.ts";
import { compare, report } from "./measure.ts";

const PORT = "16480";

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

function startReal(tool: string): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(tool, ["start", "bench", PORT], { encoding: "utf8" });
  const took = performance.now() - began;
  spawnSync(tool, ["stop", "bench"]);
  if (status !== 0) throw new Error(stderr);
  return took;
}

/** Goal: at most 0.1 times the real one. */
export async function benchControlPlaneStart(): Promise<void> {
  const tool = sharedPath("tools", "real-apiserver");
  const home = process.env["REAL_HOME"] ?? join(tmpdir(), "real-apiserver");
  const real = existsSync(tool) && existsSync(join(home, "bin", "kube-apiserver"));
  const times = await compare(
    { ours: startOurs, ...(real ? { real: () => startReal(tool) } : {}) },
    3,
  );
  const ours = times["ours"] ?? NaN;
  if (real) report("control plane up", ours, times["real"] ?? NaN, "etcd + kube-apiserver", 0.1);
  else console.log(`control plane up: ${ours.toFixed(0)} ms (the real one is not built here)`);
}
