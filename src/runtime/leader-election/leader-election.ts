/**
 * Elects one of several processes as the leader: the holder of a Lease. No two clocks are compared:
 * a Lease has expired when its holder was not seen to renew it for the duration of the Lease,
 * measured by the clock of this process. A leader that cannot renew in time stops before another
 * process may become the leader.
 *
 * @see https://pkg.go.dev/k8s.io/client-go/tools/leaderelection
 */
import { timeoutSignal, type Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { sameJson } from "../../kube/json.ts";
import type { NewObject } from "../../kube/input.ts";
import { formatKey, type ObjectKey } from "../../kube/object.ts";
import { MANAGED_BY, MANAGER } from "../../kube/operator-marks.ts";
import { isConflict, isNotFound } from "../../kube/status.ts";
import type { Client } from "../client/client.ts";
import { recordLeadership } from "./lease-events.ts";
import { LEASE, type Lease, type LeaseSpec } from "./lease.ts";
import { present } from "../../present.ts";

/** The options of a leader election; the default times are client-go's. */
export interface LeaderElectionOptions {
  /** The name of the Lease; one for each operator in a namespace. */
  readonly id: string;
  /** The namespace of the Lease; that of the pod or the kubeconfig when absent. */
  readonly namespace?: string;
  /** The identity of this process; host name and a random part when absent. */
  readonly identity?: string;
  /** The duration of a Lease that is not renewed: 15 s when absent. Whole seconds. */
  readonly leaseDurationMs?: number;
  /** The time after which a leader that cannot renew gives up: 10 s when absent. */
  readonly renewDeadlineMs?: number;
  /** The time between two attempts: 2 s when absent. */
  readonly retryPeriodMs?: number;
}

/** The time until which a process is surely the leader. Another thread may read it. */
export interface LeaderTerm {
  /** On the monotonic clock; `undefined` before the process was ever the leader. */
  endsAtMs: number | undefined;
}

/** The Lease of an election, the identity and the times: plain data. */
export interface ElectionSettings {
  readonly key: ObjectKey;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  /** How long the main thread may be blocked before the leadership is given up. */
  readonly stuckAfterMs: number;
}

export interface Election {
  /** Resolves when this process is the leader. @throws the signal's reason when it is aborted */
  acquire(signal: AbortSignal): Promise<void>;
  /** Renews until `signal` is aborted. @throws TsopError `leadership-lost` */
  hold(signal: AbortSignal): Promise<void>;
  /** Releases the Lease, so that the next process need not wait until it expires. */
  release(): Promise<void>;
}

// How far client-go spreads the attempts of waiting processes: up to 2.2 periods apart.
const JITTER = 1.2;

export interface LeaderElectorParts extends ElectionSettings {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * The term of this process, which the elector updates. Other processes become leaders only after
   * the duration of the Lease since the last renewal, which is later.
   */
  readonly term: LeaderTerm;
  /** How long the main thread has been blocked, in milliseconds. */
  readonly standsStillMs: () => number;
}

/** @throws TsopError `leader-election-times` when the times do not fit together */
export function checkTimes(settings: ElectionSettings): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = settings;
  if (leaseDurationMs > renewDeadlineMs && renewDeadlineMs > JITTER * retryPeriodMs) return;
  throw new TsopError(
    "leader-election-times",
    `The times of the leader election do not fit: lease ${leaseDurationMs} ms, renew deadline ${renewDeadlineMs} ms, retry period ${retryPeriodMs} ms.`,
    `The lease must be longer than the deadline, and that longer than ${JITTER} retry periods.`,
  );
}

/** @param why - `: this process is no longer the leader` follows */
export function leadershipLost(why: string): TsopError {
  return new TsopError(
    "leadership-lost",
    `${why}: this process is no longer the leader.`,
    "Let the process end and restart; see the log for why the API server did not answer.",
  );
}

export class LeaderElector implements Election {
  readonly #parts: LeaderElectorParts;
  #observed: { readonly spec: LeaseSpec; readonly lease: Lease; readonly atMs: number } | undefined;

  constructor(parts: LeaderElectorParts) {
    this.#parts = parts;
  }

  async acquire(signal: AbortSignal): Promise<void> {
    const { clock, log, identity, retryPeriodMs, renewDeadlineMs, key, standsStillMs } =
      this.#parts;
    log.info({ lease: formatKey(key), identity }, "waiting to lead");
    // A process whose main thread is blocked would only keep others from the work.
    while (standsStillMs() > renewDeadlineMs / 2 || !(await this.#try(signal))) {
      await clock.sleep(retryPeriodMs * (1 + JITTER * clock.random()), signal);
    }
    log.info({ lease: formatKey(key), identity }, "leading");
    void this.#record("became leader", signal);
  }

  async hold(signal: AbortSignal): Promise<void> {
    const { clock, key, term, retryPeriodMs, renewDeadlineMs, stuckAfterMs, standsStillMs } =
      this.#parts;
    while (!signal.aborted) {
      const left = (term.endsAtMs ?? 0) - clock.monotonicMs();
      if (left <= 0) {
        throw leadershipLost(
          `The Lease ${key.name} could not be renewed for ${renewDeadlineMs} ms`,
        );
      }
      if (standsStillMs() > stuckAfterMs) {
        throw leadershipLost(`The main thread has been blocked for ${standsStillMs()} ms`);
      }
      const tryMs = clock.monotonicMs();
      const isHeld = await this.#try(signal);
      const nowMs = clock.monotonicMs();
      // After a renewal the period counts from its request: two slow answers and a pause between
      // them would take longer than the term.
      const untilMs = (isHeld ? tryMs : nowMs) + retryPeriodMs;
      const pauseMs = Math.min(untilMs - nowMs, Math.max(left, 1));
      await clock.sleep(Math.max(pauseMs, 0), signal).catch(() => undefined);
    }
  }

  async release(): Promise<void> {
    const { clock, log, term, identity, renewDeadlineMs } = this.#parts;
    const inTerm = (term.endsAtMs ?? -Infinity) > clock.monotonicMs();
    // From here on another process may be the leader.
    if (term.endsAtMs !== undefined) term.endsAtMs = -Infinity;
    const lease = this.#observed?.lease;
    // After the term, a write without an answer may still be on its way: the next leader waits
    // until the Lease expires.
    if (!inTerm || lease?.spec?.holderIdentity !== identity) return;
    const timeout = timeoutSignal(clock, renewDeadlineMs);
    try {
      const told = this.#record("stopped leading", timeout.signal);
      await this.#giveBack(lease, timeout.signal);
      log.info({ lease: formatKey(this.#parts.key), identity }, "the Lease is released");
      await told;
    } catch (error) {
      // Another process has it, or the server is unreachable; the Lease expires by itself.
      log.info({ err: error }, "the Lease could not be released");
    } finally {
      timeout.clear();
    }
  }

  async #record(what: "became leader" | "stopped leading", signal: AbortSignal): Promise<void> {
    const lease = this.#observed?.lease;
    if (lease) await recordLeadership(lease, what, this.#parts, signal);
  }

  async #giveBack(lease: Lease, signal: AbortSignal): Promise<void> {
    const { client, key, identity } = this.#parts;
    const { acquireTime, renewTime, leaseTransitions = 0 } = lease.spec ?? {};
    const times = {
      ...present({ acquireTime, renewTime }),
    };
    const spec = { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions, ...times };
    try {
      await client.update(LEASE, { ...lease, spec }, { signal });
    } catch (error) {
      if (!isConflict(error)) throw error;
      // A renewal of this process may have been given up after it was sent.
      const now = await client.live.get(LEASE, key);
      if (now.spec?.holderIdentity !== identity) throw error;
      signal.throwIfAborted();
      await this.#giveBack(now, signal);
    }
  }

  /** Tries once to acquire or renew the Lease; returns whether this process holds it now. */
  async #try(parent: AbortSignal): Promise<boolean> {
    const { clock, log, term, renewDeadlineMs } = this.#parts;
    // Half of the deadline: one request without an answer must not cost the leadership.
    const timeout = timeoutSignal(clock, Math.max(1000, renewDeadlineMs / 2), parent);
    const tryMs = clock.monotonicMs();
    try {
      const held = await this.#takeOrRenew(timeout.signal);
      // The term counts from the time before the request: the server may have stored the Lease any
      // time after that.
      if (held) term.endsAtMs = tryMs + renewDeadlineMs;
      return held;
    } catch (error) {
      if (parent.aborted) throw error;
      log.warn({ err: error }, `the Lease could not be acquired or renewed: ${messageOf(error)}`);
      return false;
    } finally {
      timeout.clear();
    }
  }

  async #takeOrRenew(signal: AbortSignal): Promise<boolean> {
    const { client, clock, key, identity, leaseDurationMs } = this.#parts;
    const now = microTime(clock.now());
    const mine = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.round(leaseDurationMs / 1000),
      renewTime: now,
    };
    const observed = this.#observed?.lease;
    if (observed?.spec?.holderIdentity === identity) {
      try {
        const spec = { ...observed.spec, ...mine };
        this.#observe(await client.update(LEASE, { ...observed, spec }, { signal }));
        return true;
      } catch (error) {
        // After a conflict another process has written; after any other failure a second request is
        // useless.
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
    const lease = await client.live.find(LEASE, key);
    if (!lease) {
      const spec = { ...mine, acquireTime: now, leaseTransitions: 0 };
      const labels = { [MANAGED_BY]: MANAGER };
      const created: NewObject<Lease> = { metadata: { ...key, labels }, spec };
      this.#observe(await client.create(LEASE, created, { signal }));
      return true;
    }
    this.#observe(lease);
    const { holderIdentity = "", acquireTime = now, leaseTransitions = 0 } = lease.spec ?? {};
    const held = holderIdentity === identity;
    if (!held && holderIdentity !== "" && !this.#isOver(lease)) return false;
    const spec = held
      ? { ...mine, acquireTime, leaseTransitions }
      : { ...mine, acquireTime: now, leaseTransitions: leaseTransitions + 1 };
    this.#observe(await client.update(LEASE, { ...lease, spec }, { signal }));
    return true;
  }

  #observe(lease: Lease): void {
    const spec = lease.spec ?? {};
    const unchanged = this.#observed && sameJson(this.#observed.spec, spec);
    const atMs =
      unchanged && this.#observed ? this.#observed.atMs : this.#parts.clock.monotonicMs();
    this.#observed = { spec, lease, atMs };
  }

  #isOver({ spec }: Lease): boolean {
    const lastsMs = (spec?.leaseDurationSeconds ?? 0) * 1000;
    const seenMs = this.#observed?.atMs ?? this.#parts.clock.monotonicMs();
    return this.#parts.clock.monotonicMs() >= seenMs + lastsMs;
  }
}

/** A `MicroTime` of the Kubernetes API. */
function microTime(nowMs: number): string {
  return new Date(nowMs).toISOString().replace("Z", "000Z");
}
