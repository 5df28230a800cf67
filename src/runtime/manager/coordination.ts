/** The coordination of an operator's processes: one is the leader, or all share the keys. */
import { hostname } from "node:os";
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import type { Client } from "../client/client.ts";
import { LEASE } from "../leader-election/lease.ts";
import type { ShardPresence } from "../sharding/shard-lease.ts";
import { ShardMember, type ShardingOptions } from "../sharding/shard-member.ts";
import {
  checkTimes,
  type ElectionSettings,
  type LeaderElectionOptions,
} from "../leader-election/leader-election.ts";
import { LEASE_VERBS, SHARD_LEASE_VERBS } from "../../kube/needed-rights.ts";
import type { PlannedAccess } from "../client/access.ts";

/** The parts of a manager that its coordination with other processes needs. */
interface CoordinationParts {
  /** A client that is neither cached nor fenced. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** The namespace of the Leases, where the options name none. */
  readonly namespace: string;
}

const TIMES = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };

/** The election that a process takes part in. @throws TsopError `leader-election-times` */
export function electionSettings(
  { id, namespace, identity, ...times }: LeaderElectionOptions,
  stuckAfterMs: number,
  parts: Pick<CoordinationParts, "clock" | "namespace">,
): ElectionSettings {
  const settings = {
    ...TIMES,
    ...times,
    stuckAfterMs,
    key: { namespace: namespace ?? parts.namespace, name: id },
    identity: identity ?? identityOf(parts.clock),
  };
  checkTimes(settings);
  return settings;
}

/** This process as a member of those that share the keys. */
export function createMember(
  { id, namespace, identity, ...times }: ShardingOptions,
  { namespace: ownNamespace, ...parts }: CoordinationParts,
  presence: () => ShardPresence | undefined,
  expired: () => void,
): ShardMember {
  const settings = {
    ...TIMES,
    ...times,
    id,
    namespace: namespace ?? ownNamespace,
    // The identity is a part of a name, where `_` is not allowed.
    identity: (identity ?? identityOf(parts.clock)).toLowerCase().replaceAll("_", "-"),
  };
  return new ShardMember({ ...parts, settings, presence, expired });
}

export function coordinationAccess(
  election: LeaderElectionOptions | undefined,
  sharding: ShardingOptions | undefined,
  namespace: string,
): PlannedAccess[] {
  const options = election ?? sharding;
  if (!options) return [];
  const verbs = [...LEASE_VERBS, ...(sharding ? SHARD_LEASE_VERBS : [])];
  return [{ resource: LEASE, namespace: options.namespace ?? namespace, verbs }];
}

function identityOf(clock: Clock): string {
  return `${hostname()}_${Math.floor(clock.random() * 2 ** 48).toString(16)}`;
}
