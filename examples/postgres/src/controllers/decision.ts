/**
 * What is to be done with the members. Pure: the same members at the same time give the same decision.
 */
import type { Pod } from "tsop/k8s";
import type { PostgreSQLCluster } from "../api/v1/postgresqlcluster.ts";
import {
  hasEnded,
  isLeaving,
  isReady,
  memberName,
  numberOf,
  readinessSinceMs,
  REVISION,
  revisionOf,
  ROLE,
} from "./members.ts";

/** How long a primary may not be ready before another member takes over. */
export const FAILOVER_MS = 30_000;
/** How soon after its end a member that ended by itself begins again. */
const RESTART_MS = 10_000;

/** A pod that is to end, and why. */
export interface Ending {
  readonly pod: Pod;
  readonly why: string;
}

/** What is to be done, in this order. */
export interface Decision {
  /** Pods that have ended: their objects may go. */
  readonly release: readonly Pod[];
  /** Pods that are to end. */
  readonly end: readonly Ending[];
  /** Members that lack a pod. */
  readonly create: readonly number[];
  /** One of these becomes the primary: nobody else accepts writes. */
  readonly elect: readonly Pod[];
  /** This pod is the primary. */
  readonly primary?: Pod;
  /** Members that are wanted no longer have no pod: their claims may go. */
  readonly mayDropClaims: boolean;
  /** What is not as it is wanted. */
  readonly waitingFor?: { readonly reason: string; readonly message: string };
  /** When time alone changes the decision. */
  readonly againMs?: number;
}

/** All members, and what is recorded of them. */
export interface Members {
  readonly cluster: PostgreSQLCluster;
  /** As the API server has them now. */
  readonly pods: readonly Pod[];
  readonly nowMs: number;
}

/** Decides what to do with the members. */
export function decide(members: Members): Decision {
  const { cluster, pods, nowMs } = members;
  const recorded = cluster.status?.primary;
  const running = pods.filter((pod) => !hasEnded(pod));
  const primary = running.find(({ metadata }) => metadata.uid === recorded?.uid);
  const atMs = (pod: Pod): number => readinessSinceMs(pod) + RESTART_MS;
  const ended = pods.filter(hasEnded);
  const release = ended.filter((pod) => isLeaving(pod) || atMs(pod) <= nowMs);
  const later = ended.filter((pod) => !release.includes(pod)).map((pod) => atMs(pod) - nowMs);
  // The first data is one member's, from which the others take it.
  const wanted = recorded ? cluster.spec.instances : 1;
  const create = range(wanted).filter((number) => !pods.some((pod) => numberOf(pod) === number));
  const next = primary ? withPrimary(members, running, primary) : withoutPrimary(members, running);
  const againMs = Math.min(...later, next.againMs ?? Infinity);
  const missing = create.map((number) => memberName(cluster, number));
  return {
    ...NOTHING,
    ...(missing.length > 0 && {
      waitingFor: { reason: "Starting", message: `Starts ${missing.join(", ")}.` },
    }),
    ...next,
    release,
    create,
    ...(Number.isFinite(againMs) && { againMs }),
  };
}

const NOTHING: Decision = { release: [], end: [], create: [], elect: [], mayDropClaims: false };

type Next = Partial<Omit<Decision, "release" | "create">>;

/** Nobody accepts writes: the pod that did has ended, or there was none. */
function withoutPrimary({ cluster, nowMs }: Members, running: readonly Pod[]): Next {
  // Who restores the object from a file loses its status: the pod says it as well.
  const unrecorded = running.filter(({ metadata }) => metadata.labels?.[ROLE] === "primary");
  if (unrecorded.length === 1) return { elect: unrecorded };
  if (unrecorded.length > 1) {
    const names = unrecorded.map(({ metadata }) => metadata.name).join(" and ");
    const message = `Pods ${names} both have the label ${ROLE}=primary: delete those that are none.`;
    return { waitingFor: { reason: "SeveralPrimaries", message } };
  }
  const kept = running.filter((pod) => numberOf(pod) <= cluster.spec.instances);
  const ready = kept.filter(isReady);
  const candidates = ready.length > 0 ? ready : running.filter(isReady);
  const starting = kept.filter((pod) => !isReady(pod) && !isLeaving(pod));
  const leftMs = starting
    .map(({ metadata }) => Date.parse(metadata.creationTimestamp) + FAILOVER_MS - nowMs)
    .filter((ms) => ms > 0);
  if (candidates.length > 0 && leftMs.length === 0) return { elect: candidates };
  return {
    end: outdated(cluster, starting),
    waitingFor: { reason: "NoPrimary", message: "Waits for a member that can be the primary." },
    ...(leftMs.length > 0 && { againMs: Math.max(...leftMs) }),
  };
}

function withPrimary({ cluster, nowMs }: Members, running: readonly Pod[], primary: Pod): Next {
  const { name } = primary.metadata;
  const others = running.filter(
    (pod) => pod !== primary && numberOf(pod) <= cluster.spec.instances,
  );
  if (isLeaving(primary)) return { waitingFor: fencing(primary) };
  if (!isReady(primary)) {
    const leftMs = readinessSinceMs(primary) + FAILOVER_MS - nowMs;
    const waitingFor = { reason: "PrimaryNotReady", message: `Pod ${name} is not ready.` };
    if (leftMs > 0) return { primary, waitingFor, againMs: leftMs };
    if (!others.some(isReady)) return { primary, waitingFor };
    return { end: [{ pod: primary, why: "it is not ready" }], waitingFor };
  }
  const isMember = numberOf(primary) <= cluster.spec.instances;
  const areAllReady =
    others.length === cluster.spec.instances - (isMember ? 1 : 0) && others.every(isReady);
  const surplus = running.filter(
    (pod) => pod !== primary && numberOf(pod) > cluster.spec.instances && !isLeaving(pod),
  );
  const old = outdated(cluster, others);
  const base = { primary, mayDropClaims: true };
  const restarting = { reason: "Restarting", message: "Members restart, one after the other." };
  if (surplus.length > 0) {
    const end = surplus.map((pod) => ({ pod, why: "fewer members are wanted" }));
    return { ...base, end, waitingFor: { reason: "Shrinking", message: "Members are removed." } };
  }
  const stuck = old.filter(({ pod }) => !isReady(pod));
  if (stuck.length > 0) return { ...base, end: stuck, waitingFor: restarting };
  if (!areAllReady) {
    const waiting = others.filter((pod) => !isReady(pod)).map(({ metadata }) => metadata.name);
    const message = `Waits for ${waiting.join(", ") || "members that begin"}.`;
    return { ...base, waitingFor: { reason: "Waiting", message } };
  }
  const [first] = old;
  if (first) return { ...base, end: [first], waitingFor: restarting };
  // The primary comes last, when any other member can take its place.
  const last = isMember
    ? outdated(cluster, [primary])
    : [{ pod: primary, why: "fewer members are wanted" }];
  if (last.length > 0) return { ...base, end: last, waitingFor: restarting };
  return base;
}

/** What people can do when it takes long. */
function fencing({ metadata, spec }: Pod): { readonly reason: string; readonly message: string } {
  const reason = "Fencing";
  const waits = `Waits for the end of pod ${metadata.name}: while it may accept writes, nobody else does.`;
  const node = spec?.nodeName;
  if (node === undefined) return { reason, message: waits };
  const taint = `kubectl taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`;
  return { reason, message: `${waits} If node ${node} is off for good: ${taint}` };
}

/** Those that were made of something else than what is wanted now. */
function outdated(cluster: PostgreSQLCluster, pods: readonly Pod[]): Ending[] {
  const revision = revisionOf(cluster);
  return pods
    .filter(({ metadata }) => metadata.annotations?.[REVISION] !== revision)
    .filter((pod) => !isLeaving(pod))
    .sort((one, other) => numberOf(one) - numberOf(other))
    .map((pod) => ({ pod, why: "its settings changed" }));
}

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
