/**
 * The gain of a test without a socket: requests over the in-process transport against the same over
 * HTTPS on the loopback interface, to two control planes of this process; and the cost of
 * `manager.idle()`, against the write that it waits for.
 */
import { controllerFor, createManager, type Client } from "../src/index.ts";
import { ConfigMap } from "../src/k8s.ts";
import {
  clientFor,
  inProcess,
  silentLogger,
  startControlPlane,
  VirtualClock,
} from "../src/testing.ts";
import { compare, report } from "./measure.ts";

const ROUNDS = 15;
const OBJECTS = 100;
const READS = 500;
const WRITES = 100;
const key = { namespace: "default", name: "bench" };

async function readAgain(client: Client): Promise<void> {
  for (let read = 0; read < READS; read++) await client.get(ConfigMap, key);
}

async function writeAgain(client: Client): Promise<void> {
  for (let write = 0; write < WRITES; write++) {
    await client.apply(ConfigMap, { metadata: key, data: { write: String(write) } });
  }
}

async function listAgain(client: Client): Promise<void> {
  for (let read = 0; read < READS / OBJECTS; read++) await client.list(ConfigMap);
}

async function reportTransport(): Promise<void> {
  await using socket = await startControlPlane({ controllers: "off" });
  await using direct = await startControlPlane({ controllers: "off", listen: false });
  const clients = { direct: clientFor(direct), socket: clientFor(socket) };
  for (const client of Object.values(clients)) {
    for (let object = 0; object < OBJECTS; object++) {
      const metadata = { namespace: "default", name: `object-${object}` };
      await client.create(ConfigMap, { metadata, data: { text: "x".repeat(1000) } });
    }
    await writeAgain(client);
  }
  const uses = {
    [`${READS} reads of an object`]: readAgain,
    [`${READS / OBJECTS} lists of ${OBJECTS} objects`]: listAgain,
    [`${WRITES} applies`]: writeAgain,
  };
  for (const [name, use] of Object.entries(uses)) {
    const { direct: ours = NaN, socket: peer = NaN } = await compare(
      { direct: () => use(clients.direct), socket: () => use(clients.socket) },
      ROUNDS,
    );
    report(`in process: ${name}`, ours, peer, "over a socket", 1);
  }
}

/** Measures a write, its event, its reconcile, and the certainty that no work is left. */
async function reportIdle(): Promise<void> {
  const clock = new VirtualClock();
  await using cluster = await startControlPlane({ clock, listen: false, controllers: "off" });
  const manager = createManager({ clock, transport: inProcess(cluster), log: silentLogger });
  let reconciles = 0;
  controllerFor(manager)
    .for(ConfigMap)
    .complete({
      reconcile() {
        reconciles++;
        return Promise.resolve();
      },
    });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  const client = clientFor(cluster);
  await writeAgain(client);
  await manager.idle();
  const { waited = NaN, written = NaN } = await compare(
    {
      async waited() {
        for (let write = 0; write < WRITES; write++) {
          const before = reconciles;
          await client.apply(ConfigMap, { metadata: key, data: { idle: `${before}-${write}` } });
          await manager.idle();
          if (reconciles === before) throw new Error("idle() did not wait for the reconcile");
        }
      },
      written: () => writeAgain(client),
    },
    ROUNDS,
  );
  report(`${WRITES} writes, each with manager.idle()`, waited, written, "writes alone");
  stop.abort();
  await clock.advance(60_000);
  await running;
}

export async function benchInProcess(): Promise<void> {
  await reportTransport();
  await reportIdle();
}
