import { afterEach, beforeEach, expect, it } from "vitest";
import { createManager, type Client, type Manager } from "../../../src/index.ts";
import { Pod, Secret } from "../../../src/k8s.ts";
import {
  clientFor,
  installOperator,
  silentLogger,
  simulatePods,
  startControlPlane,
  VirtualClock,
  type ControlPlane,
  type PodSimulation,
} from "../../../src/testing.ts";
import { Server, setUpServer } from "./failing-pods.ts";
import { manifestsOf } from "./support.ts";

const namespace = "default";

let clock: VirtualClock;
let cluster: ControlPlane;
let client: Client;
let manager: Manager;
let end: () => Promise<void>;

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await startControlPlane({ clock, listen: false });
  client = clientFor(cluster);
  const config = await installOperator(cluster, await manifestsOf(import.meta.url));
  manager = createManager({ config, log: silentLogger });
  setUpServer(manager);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  end = async () => {
    stop.abort();
    await running;
    await cluster.stop();
  };
});
afterEach(() => end());

/** Creates a Server whose pods do this. */
async function create(name: string, simulation?: PodSimulation): Promise<void> {
  if (simulation) await simulatePods(cluster, { labels: { server: name } }, simulation);
  await client.create(Server, {
    metadata: { namespace, name },
    spec: { image: "server:1", tokenSecret: "token" },
  });
  await manager.idle();
}

const createSecret = () =>
  client.create(Secret, { metadata: { namespace, name: "token" }, stringData: { token: "t" } });

/** What the operator says of a Server after so many more seconds. */
async function stateAfter(seconds: number, name: string): Promise<string | undefined> {
  await clock.advance(seconds * 1000);
  await cluster.settle();
  await manager.idle();
  return (await client.get(Server, { namespace, name })).status?.state;
}

/** Why the container of a Server's pod does not run. */
async function waitingFor(name: string): Promise<string | undefined> {
  const [pod] = await client.list(Pod, { namespace, labels: { server: name } });
  return pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason;
}

it("is in progress while its pods are slow", async () => {
  await createSecret();
  await create("slow", "slow:30");
  expect(await stateAfter(20, "slow")).toBe("InProgress");
  expect(await stateAfter(20, "slow")).toBe("Current");
});

it("fails when its pods are not ready within the Deployment's deadline", async () => {
  await createSecret();
  await create("stuck", "never-ready");
  expect(await stateAfter(60, "stuck")).toBe("InProgress");
  expect(await stateAfter(120, "stuck")).toBe("Failed");
});

it("is in progress while its pods crash: without a readiness probe they were ready for a moment", async () => {
  await createSecret();
  await create("crashing", "fail:3");
  expect(await stateAfter(3600, "crashing")).toBe("InProgress");
  expect(await waitingFor("crashing")).toBe("CrashLoopBackOff");
});

it("waits for a Secret that is missing", async () => {
  await create("early");
  expect(await stateAfter(10, "early")).toBe("InProgress");
  expect(await waitingFor("early")).toBe("CreateContainerConfigError");
  await createSecret();
  expect(await stateAfter(60, "early")).toBe("Current");
});
