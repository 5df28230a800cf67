/**
 * A terminal with the clients of a cluster: a home of its own, a control plane of its own unless a real one is named.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startControlPlane } from "../../../src/controlplane/control-plane.ts";
import { clientFolder } from "../../support/kubectl.ts";
import type { Terminal } from "./transcript.ts";

/** How long a real cluster gets to come to rest, in milliseconds. */
const REST_MS = 1500;

/**
 * Runs `session` in a terminal whose cluster is new, and removes both afterwards.
 *
 * @param kubeconfig - of a real cluster; without it, a control plane is started that has no nodes, as the real one
 * @param kubectl - the path of one to use instead of the package's
 */
export async function withTerminal(
  kubeconfig: string | undefined,
  session: (terminal: Terminal, settle: () => Promise<void>) => Promise<void>,
  kubectl?: string,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "terminal-"));
  const file = join(folder, "kubeconfig");
  const terminal = { folder, programs: [join(folder, "bin"), clientFolder()], kubeconfig: file };
  mkdirSync(join(folder, "bin"));
  if (kubectl !== undefined) symlinkSync(kubectl, join(folder, "bin", "kubectl"));
  try {
    if (kubeconfig !== undefined) {
      copyFileSync(kubeconfig, file);
      await session(terminal, () => delay(REST_MS));
      return;
    }
    await using plane = await startControlPlane({ controllers: "no-kubelet" });
    writeFileSync(file, plane.kubeconfig);
    await session(terminal, () => plane.settle());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
