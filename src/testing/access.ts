/** The access to a control plane of this process: without a socket if it does not listen. */
import { systemClock, type Clock } from "../clock.ts";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { Client } from "../runtime/client/client.ts";
import { createClient } from "../runtime/client/create-client.ts";
import type { ClusterConfig } from "../runtime/transport/cluster-config.ts";
import { FaultyTransport, type Faults } from "../runtime/transport/faulty-transport.ts";
import { loadClusterConfig } from "../runtime/kubeconfig/load-config.ts";
import { openTransport } from "../runtime/transport/open-transport.ts";
import { inProcessConfig } from "./in-process.ts";

/**
 * A transport to a cluster on which a share of the requests fails, for `createManager({ transport
 * })`.
 *
 * @example
 * const unreliable = createManager({ transport: faults(config, { refuse: 0.1, cut: 0.01 }) });
 *
 * @param share - the probabilities of the faults: `{ reset: 0.05, status: { 429: 0.1 } }`
 * @param clock - a `VirtualClock` draws the same faults for the same seed; when absent, that of a
 *   control plane that does not listen
 */
export function faults(config: ClusterConfig, share: Faults, clock?: Clock): FaultyTransport {
  const transport = openTransport(config, "faults");
  return new FaultyTransport(transport, clock ?? transport.clock ?? systemClock, share);
}

/**
 * A client with all rights, for the requests of the test itself.
 *
 * @example
 * const admin = clientFor(cluster);
 */
export function clientFor(controlPlane: ControlPlane): Client {
  return createClient(accessOf(controlPlane), { name: "test" });
}

/** The user of a control plane: an administrator when absent. */
interface Identity {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** The access of a user, over HTTPS where the control plane listens. */
export function accessOf(controlPlane: ControlPlane, identity?: Identity): ClusterConfig {
  if (!controlPlane.listens) return inProcessConfig(controlPlane, identity);
  const kubeconfigText = identity ? controlPlane.kubeconfigFor(identity) : controlPlane.kubeconfig;
  return loadClusterConfig({ kubeconfigText });
}
