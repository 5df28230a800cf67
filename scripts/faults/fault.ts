/** Faults: the name of each, the expected behaviour, and its steps. */
import type { Scene } from "./scene.ts";

/** One fault. */
export interface Fault {
  readonly name: string;
  /** The behaviour of a good operator, in a sentence. */
  readonly expected: string;
  /** Starts replicas, does harm, mends it, and waits until all converged; the scene is checked and ended afterwards. */
  play(scene: Scene): Promise<void>;
}
