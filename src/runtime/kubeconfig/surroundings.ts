/**
 * What a kubeconfig is read with.
 *
 * @module
 */
import type { Clock } from "../../clock.ts";

/** What a kubeconfig is read with. */
export interface Surroundings {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Told of what works and should not be: a sentence. */
  warn(message: string): void;
}
