/**
 * What a fault is: a name, what is expected, and what is done.
 *
 * @module
 */
import type { Scene } from "./scene.ts";

/** One fault. */
export interface Fault {
  readonly name: string;
  /** What a good operator does, in a sentence. */
  readonly expected: string;
  /** Starts replicas, does harm, mends it, and waits until all converged; the scene is checked and ended afterwards. */
  play(scene: Scene): Promise<void>;
}
