/** A store with the objects that every cluster begins with: no server, no webhooks, no policies. */
import { VirtualClock } from "../../src/clock.ts";
import { AdmissionPlugins } from "../../src/controlplane/admission-plugins.ts";
import { type BootstrapOptions, createBootstrapObjects } from "../../src/controlplane/bootstrap.ts";
import { builtInResources } from "../../src/controlplane/builtin/resources.ts";
import type { Cluster } from "../../src/controlplane/server/cluster/cluster.ts";
import { Registry } from "../../src/controlplane/server/cluster/registry.ts";
import { Store } from "../../src/controlplane/store/store.ts";

/** What controllers and their clients need of a cluster, on a clock that tests move. */
export type BareCluster = Cluster & { readonly clock: VirtualClock };

/** Makes a cluster at 10 o'clock on 5 January 2026. */
export function bareCluster(
  resources = builtInResources(),
  bootstrap: BootstrapOptions = {},
): BareCluster {
  const cluster = {
    store: new Store(),
    registry: new Registry(resources),
    clock: new VirtualClock({ startMs: Date.parse("2026-01-05T10:00:00Z") }),
    admission: { mutate: () => undefined, validate: () => undefined },
    plugins: new AdmissionPlugins(),
  } as unknown as BareCluster;
  createBootstrapObjects(cluster, bootstrap);
  return cluster;
}
