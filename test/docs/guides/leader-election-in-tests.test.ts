import { afterEach, beforeEach, expect, it } from "vitest";
import { createManager, TsopError, type Client, type ClusterConfig } from "../../../src/index.ts";
import { Lease } from "../../../src/k8s.ts";
import {
  clientFor,
  eventually,
  faults,
  installOperator,
  silentLogger,
  startControlPlane,
  VirtualClock,
  type ControlPlane,
} from "../../../src/testing.ts";
import { setUpTask, Task } from "./leader-election-in-tests.ts";
import { manifestsOf } from "./support.ts";

const namespace = "default";
const id = "task-operator";

let clock: VirtualClock;
let cluster: ControlPlane;
let client: Client;
let config: ClusterConfig;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await startControlPlane({ clock, listen: false });
  client = clientFor(cluster);
  config = await installOperator(cluster, await manifestsOf(import.meta.url));
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await cluster.stop();
});

/** One process of the operator: a manager of its own, with a network of its own that can be cut. */
function startProcess(me: string) {
  const network = faults(config, { refuse: 1 });
  network.healthy = true;
  const leaderElection = { id, namespace, identity: me };
  const manager = createManager({ transport: network, leaderElection, log: silentLogger });
  setUpTask(manager, me);
  const stop = new AbortController();
  const ended = manager.start(stop.signal).then(
    () => "stopped",
    (error: unknown) => (error instanceof TsopError ? error.code : String(error)),
  );
  const end = async () => {
    stop.abort();
    await clock.advance(60_000);
    return ended;
  };
  ends.push(end);
  return { manager, network, end, ended };
}

/** Creates a Task, and says which process did it. */
async function doneBy(name: string): Promise<string | undefined> {
  await client.create(Task, { metadata: { namespace, name }, spec: {} });
  return eventually(
    async () => {
      const { status } = await client.get(Task, { namespace, name });
      expect(status?.doneBy).toBeDefined();
      return status?.doneBy;
    },
    { clock },
  );
}

it("hands over at once when the leader is stopped", async () => {
  const first = startProcess("first");
  await first.manager.elected;
  startProcess("second");
  expect(await doneBy("one")).toBe("first");

  expect(await first.end()).toBe("stopped");
  expect(await doneBy("two")).toBe("second");
  const lease = await client.get(Lease, { namespace, name: id });
  expect(lease.spec?.holderIdentity).toBe("second");
});

it("hands over after the Lease's time when the leader is cut off, and the old leader ends", async () => {
  const first = startProcess("first");
  await first.manager.elected;
  startProcess("second");
  first.network.healthy = false;
  const cutAtMs = clock.now();
  expect(await doneBy("one")).toBe("second");
  expect(clock.now() - cutAtMs).toBeGreaterThanOrEqual(15_000);
  await clock.advance(60_000);
  expect(await first.ended).toBe("leadership-lost");
});
