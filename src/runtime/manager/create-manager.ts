/** Creates managers: for a cluster, and for the replay of one reconcile. */
import { systemClock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import { type Replay, replayOfEnvironment, replayTransport } from "../replay/replay.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import { loadClusterConfig } from "../kubeconfig/load-config.ts";
import { openTransport } from "../transport/open-transport.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { present } from "../../present.ts";
import { OperatorManager } from "./operator-manager.ts";
import type { Manager } from "./manager.ts";

/**
 * Makes a manager. Nothing is opened before `start`.
 *
 * @example
 * const manager = createManager({ health: { port: 8081 }, leaderElection: { id: "web.example.com" } });
 * controllerFor(manager).for(Web).complete(new WebReconciler(manager.client));
 * await manager.start(setupSignalHandler());
 *
 * @throws TsopError `no-cluster`, `kubeconfig-...`; `leader-and-shards` when both are given
 */
export function createManager(options: ManagerOptions = {}): Manager {
  if (options.leaderElection && options.sharding) {
    throw new TsopError(
      "leader-and-shards",
      "leaderElection and sharding cannot be combined: a manager either elects a leader or shares the keys.",
      "Leave out leaderElection: with sharding every process works on its own keys.",
    );
  }
  const replay = replayOfEnvironment(process.env);
  if (replay) return replayManager(replay, options);
  const { clock = systemClock, transport, config } = options;
  return transport
    ? new OperatorManager(options, transport, config)
    : managerOf(options, config ?? loadClusterConfig({ clock }));
}

/** A manager that does one recorded reconcile when it is started, and reaches no server. */
export function replayManager(replay: Replay, options: ManagerOptions = {}): Manager {
  const { name, log, cache, middlewares, fieldValidation, dryRun, webhooks } = options;
  // Without the options for coordination and servers; webhooks are added, but not served.
  const own = present({ name, log, middlewares, fieldValidation, dryRun, webhooks });
  const settings = { ...own, cache: { ...cache, watchList: false }, clock: systemClock };
  return new OperatorManager(settings, replayTransport, undefined, replay);
}

function managerOf(options: ManagerOptions, config: ClusterConfig): Manager {
  return new OperatorManager(options, openTransport(config, options.name ?? "tsop"), config);
}
