/** Faults: the name of each, the expected behaviour, and its steps. */
import type { Scene } from "./scene.ts";

/** One fault. */
export interface Fault {
  readonly name: string;
  /** The expected behaviour of the operator, in a sentence. */
  readonly expected: string;
  /**
   * Starts replicas, causes the fault, ends it, and waits until everything has converged; the scene
   * is checked and ended afterwards.
   */
  play(scene: Scene): Promise<void>;
}
