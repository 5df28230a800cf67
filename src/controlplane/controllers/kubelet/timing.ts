/** How long things take on a simulated node. */

/** The durations of a node's own work. Those that a manifest asks for, such as back-offs and delays of probes, are the same everywhere. */
export interface PodTiming {
  /** Whether everything that happens at one time is written as one change of the status. */
  readonly isInstant: boolean;
  /** Whether a deleted pod runs until its program ends, or its grace period is over. */
  readonly waitsForGrace: boolean;
  /** How often the kubelet looks at its containers. */
  readonly relistMs: number;
  readonly sandboxMs: number;
  readonly createMs: number;
  readonly startMs: number;
  /** From SIGKILL to the end of a process, and the end of a sandbox. */
  readonly killMs: number;
  readonly stopMs: number;
  readonly pullMs: number;
  /** The shortest life of a process. */
  readonly lifeMs: number;
  /** The part by which a retry may be late, at most. */
  readonly jitter: number;
}

/** The names of the timings, for options. */
export type PodTimingName = "real" | "instant";

/** As a node with containerd: half a second to start a pod, and up to a second until an end is noticed. */
const REAL: PodTiming = {
  isInstant: false,
  waitsForGrace: true,
  relistMs: 1000,
  sandboxMs: 450,
  createMs: 40,
  startMs: 60,
  killMs: 50,
  stopMs: 220,
  pullMs: 700,
  lifeMs: 80,
  jitter: 0.5,
};

const INSTANT: PodTiming = {
  isInstant: true,
  waitsForGrace: false,
  relistMs: 0,
  sandboxMs: 0,
  createMs: 0,
  startMs: 0,
  killMs: 0,
  stopMs: 0,
  pullMs: 0,
  lifeMs: 0,
  jitter: 0,
};

export const podTiming = (name: PodTimingName): PodTiming => (name === "real" ? REAL : INSTANT);
