/** An operator as a process of its own, which the tests make busy and stop. It is told what to do, and tells what is. */
import { ConfigMap } from "../../../src/k8s.ts";
import { createManager, loadClusterConfig, TsopError } from "../../../src/index.ts";
import { systemClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";

/** How an operator is started. */
export interface Start {
  readonly type: "start";
  readonly kubeconfig: string;
  readonly lease: string;
  readonly stuckAfterMs: number;
  /** The keys are shared; else one leads. */
  readonly sharded: boolean;
}

/** What the test tells. */
export type Order =
  | Start
  | { readonly type: "write" }
  | { readonly type: "block"; readonly forMs: number };

/** What the operator tells. */
export type News =
  | { readonly type: "listening"; readonly port: number }
  | { readonly type: "leading" }
  | { readonly type: "wrote" }
  | { readonly type: "unblocked" }
  | { readonly type: "ended"; readonly code: string };

/** Of the Leases of these tests; short, and long enough for a machine that is busy with others. */
export const TIMES = { leaseDurationMs: 5000, renewDeadlineMs: 4000, retryPeriodMs: 400 };

function tell(news: News): void {
  process.send?.(news);
}

async function run({ kubeconfig, lease, stuckAfterMs, sharded }: Start): Promise<void> {
  const manager = createManager({
    config: loadClusterConfig({ kubeconfigText: kubeconfig }),
    log: silentLogger,
    health: { port: 0, host: "127.0.0.1" },
    stuckAfterMs,
    ...(sharded
      ? { sharding: { id: lease, identity: "first", ...TIMES } }
      : { leaderElection: { id: lease, identity: "first", ...TIMES } }),
  });
  void manager.elected.then(() => {
    tell({ type: "listening", port: manager.ports.health ?? 0 });
    tell({ type: "leading" });
  });
  process.on("message", (order: Order) => {
    if (order.type === "block") {
      // As a computation does: nothing else runs in this thread.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, order.forMs);
      tell({ type: "unblocked" });
    } else if (order.type === "write") void write();
  });
  let count = 0;
  const write = async (): Promise<void> => {
    const metadata = { namespace: "default", name: `${lease}-${++count}` };
    // A write that fails is followed by the next one, as reconciles are that know nothing of the lead.
    await manager.client.create(ConfigMap, { metadata }).then(
      () => {
        tell({ type: "wrote" });
      },
      () => undefined,
    );
    await systemClock.sleep(5);
    await write();
  };
  try {
    await manager.start(new AbortController().signal);
  } catch (error) {
    tell({ type: "ended", code: error instanceof TsopError ? error.code : String(error) });
  }
  await systemClock.sleep(500);
  process.disconnect();
}

process.once("message", (order: Order) => {
  if (order.type === "start") void run(order);
});
