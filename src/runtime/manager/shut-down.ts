/** Stops the parts of a manager, in the order of controller-runtime. */
import { timeoutSignal, untilAborted, type Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import type { Election } from "../leader-election/leader-election.ts";
import type { ShardMember } from "../sharding/shard-member.ts";
import type { WebhookHost } from "../webhook/webhook-host.ts";
import type { ManagerClients } from "./manager-clients.ts";
import type { ManagerGroups } from "./run-group.ts";

export interface StoppedParts {
  readonly clock: Clock;
  readonly clients: ManagerClients;
  readonly groups: ManagerGroups;
  readonly webhooks: WebhookHost;
  readonly holding: AbortController;
  readonly election: Election | undefined;
  readonly shards: ShardMember | undefined;
  /** The servers and the thread, stopped last. */
  readonly last: readonly ({ stop(): Promise<void> } | undefined)[];
}

/** How parts are stopped. */
export interface StopOrder {
  readonly reason: unknown;
  /** The time for the parts; none is left after a lost leadership. */
  readonly graceMs: number | undefined;
  /** Whether a part failed: reviews may be answered wrongly without it. */
  readonly hasFailed: boolean;
}

/** The longest wait for the answer to the release of a Lease, after the parts had their time. */
const RELEASE_MS = 1000;

/**
 * Stops everything; returns whether the Lease was released, `undefined` without one. The parts that
 * depend on a part end before it.
 *
 * @throws TsopError `shutdown-timeout`
 */
export async function shutDown(
  parts: StoppedParts,
  order: StopOrder,
): Promise<boolean | undefined> {
  const { clock, clients, groups, webhooks, holding, election, shards, last } = parts;
  const { reason, graceMs, hasFailed } = order;
  let isReleased = election && false;
  // Nobody else may lead while a write of this process can still arrive: then the Lease expires by
  // itself.
  const release = async (): Promise<void> => {
    if (!election || graceMs === undefined || isReleased) return;
    clients.fenced.seal();
    if (!clients.fenced.settled) return;
    await election.release();
    isReleased = true;
  };
  const deadline = timeoutSignal(clock, graceMs ?? 0);
  const expired = untilAborted(deadline.signal).then(() => {
    clients.scopes.end();
    if (graceMs === undefined) return;
    throw new TsopError(
      "shutdown-timeout",
      `The manager did not stop within ${graceMs} ms: a part of it is still running.`,
      "End reconciles when `context.signal` is aborted, or raise gracefulShutdownMs.",
    );
  });
  const drained = (async () => {
    const webhooksDrained = hasFailed ? undefined : webhooks.drain(graceMs ?? 0);
    await groups.everywhere.stop(reason);
    await groups.leading.stop(reason);
    await clients.events.flush();
    holding.abort();
    await release();
    await groups.membership.stop(reason);
    await shards?.end();
    await webhooksDrained;
    await webhooks.stop();
    await groups.caches.stop(reason);
    await clients.events.flush();
  })();
  expired.catch(() => undefined);
  drained.catch(() => undefined);
  try {
    await Promise.race([drained, expired]);
  } catch (error) {
    holding.abort();
    const late = new AbortController();
    await Promise.race([
      release(),
      clock.sleep(RELEASE_MS, late.signal).catch(() => undefined),
    ]).finally(() => late.abort());
    throw error;
  } finally {
    deadline.clear();
    holding.abort();
    webhooks.close();
    for (const part of last) await part?.stop();
    clients.transport.close();
  }
  return isReleased;
}
