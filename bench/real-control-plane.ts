/** The real control plane, etcd and kube-apiserver, where it has been built. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sharedPath } from "../test/support/shared.ts";

/** A running real control plane. It ends with this process at the latest. */
export interface RealControlPlane {
  readonly kubeconfig: string;
  /** The ids of the processes of etcd and the API server. */
  readonly processIds: readonly number[];
  readonly stop: () => void;
}

const tool = sharedPath("tools", "real-apiserver");
const home = process.env["REAL_HOME"] ?? join(tmpdir(), "real-apiserver");

/** Whether it can be started here. */
export const isRealBuilt = (): boolean =>
  existsSync(tool) && existsSync(join(home, "bin", "kube-apiserver"));

/**
 * Starts one with data of its own; it takes this port and some above it. @throws Error with its
 * output
 */
export function startReal(port: number): RealControlPlane {
  const name = `bench-${process.pid}-${port}`;
  const folder = join(home, name);
  let processIds: readonly number[] = [];
  const stop = (): void => {
    process.off("exit", stop);
    spawnSync(tool, ["stop", name]);
    // The API server takes long to end without etcd, which ends first.
    for (const id of processIds) killIfAlive(id);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", stop);
  const { status, stderr } = spawnSync(tool, ["start", name, String(port)], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  processIds = ["etcd", "apiserver"].map((file) =>
    Number(readFileSync(join(folder, `${file}.pid`), "utf8")),
  );
  return { kubeconfig: join(folder, "kubeconfig"), processIds, stop };
}

function killIfAlive(processId: number): void {
  try {
    process.kill(processId, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Runs `work`; the processes that it started also end after an interrupt. */
export async function untilInterrupted<T>(work: () => Promise<T>): Promise<T> {
  const interrupt = (): void => process.exit(1);
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    return await work();
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}
