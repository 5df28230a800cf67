/** The surroundings in which a kubeconfig is read. */
import type { Clock } from "../../clock.ts";

export interface Surroundings {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reports something that works and should be fixed: a sentence. */
  warn(message: string): void;
}
