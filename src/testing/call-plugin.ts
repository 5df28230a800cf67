/** Calls a plugin of kubectl in the test's process. */
import { systemClock } from "../clock.ts";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { KubectlPlugin } from "../plugin/plugin.ts";
import { executePlugin } from "../plugin/run.ts";
import { accessOf } from "./access.ts";

/** What a plugin printed, and how it ended. */
export interface PluginOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Calls a plugin as kubectl would, as an administrator of the control plane: `--kubeconfig` and `--context` are not looked at.
 *
 * @example
 * const { code, out } = await callPlugin(cluster, plugin, ["list", "-A"]);
 *
 * @param args - what stands behind the plugin's name
 */
export async function callPlugin(
  controlPlane: ControlPlane,
  plugin: KubectlPlugin,
  args: readonly string[],
): Promise<PluginOutcome> {
  let [out, err] = ["", ""];
  const code = await executePlugin(plugin, args, {
    out: (text) => (out += text),
    err: (text) => (err += `${text}\n`),
    clock: systemClock,
    connect: () => accessOf(controlPlane),
    contexts: () => [],
  });
  return { code, out, err };
}
