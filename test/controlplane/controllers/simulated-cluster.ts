/** A store, the simulated controllers and a clock that tests move: no server, no waiting. */
import type { VirtualClock } from "../../../src/clock.ts";
import type { ControllerClient } from "../../../src/controlplane/controllers/framework/client.ts";
import {
  type RunningControllers,
  startControllers,
} from "../../../src/controlplane/controllers/start-controllers.ts";
import { controllerContext } from "../../../src/controlplane/server/controller-client.ts";
import { bareCluster } from "../bare-cluster.ts";
import type { SentObject } from "../../../src/kube/object.ts";

/** What a test holds in its hands. */
export interface SimulatedCluster {
  readonly clock: VirtualClock;
  /** Writes as the test. */
  readonly client: ControllerClient;
  /** Objects of a resource, such as `pods` or `jobs.batch`, in the namespace `default`. */
  list(resource: string): readonly SimulatedObject[];
  /** The one object of that name. */
  get(resource: string, name: string): SimulatedObject;
  create(resource: string, object: object): Promise<SimulatedObject>;
  settle(): Promise<void>;
  stop(): void;
}

/** An object whose fields a test looks into freely. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read fields of many kinds
type SimulatedObject = SentObject & { spec: any; status: any; rules?: any };

const nameOf = (resource: string): { group: string; plural: string } => {
  const [plural = "", ...group] = resource.split(".");
  return { plural, group: group.join(".") };
};

/** Starts the controllers over an empty cluster with nodes (`no-kubelet`: none). */
export async function simulatedCluster(
  mode: "on" | "no-kubelet" = "on",
  nodes = 1,
): Promise<SimulatedCluster> {
  const cluster = bareCluster(undefined, { storageClass: mode === "on" });
  const { clock } = cluster;
  const context = { ...controllerContext(cluster), nodes };
  const controllers: RunningControllers = startControllers(context, mode);
  const client = context.clientFor("test");
  const list = (resource: string): readonly SimulatedObject[] =>
    client
      .list(nameOf(resource))
      .filter(
        ({ metadata: { namespace = "default" } }) => namespace === "default",
      ) as unknown as readonly SimulatedObject[];
  await controllers.settle();
  return {
    clock,
    client,
    list,
    get(resource, name) {
      const found = list(resource).find(({ metadata }) => metadata.name === name);
      if (!found) throw new Error(`there is no ${resource} ${name}`);
      return found;
    },
    create: (resource, object) =>
      client.create(nameOf(resource), object as SentObject) as unknown as Promise<SimulatedObject>,
    settle: () => controllers.settle(),
    stop: () => controllers.stop(),
  };
}

/** A template whose pods are told apart by `app`. */
export const template = (app: string, spec: object = {}): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image: "x:1" }], ...spec },
});
