/** The checks behind `/healthz` and `/readyz`. */
import type { Logger } from "../../log.ts";
import { answerProbe, HealthChecks, type ProbeAnswer } from "../serving/health.ts";

/** The name of the API server's check for the same. */
const SHUTDOWN = "shutdown";

export class Probes {
  readonly health: HealthChecks;
  readonly ready: HealthChecks;
  #isEnding = false;

  /** @param log - gets the reason of each failed check once */
  constructor(log: Logger) {
    const failed = (check: string, reason: string): void => {
      if (check === SHUTDOWN) return;
      log.warn({ check, reason }, `the health check ${check} failed: ${reason}`);
    };
    this.health = new HealthChecks(failed);
    this.ready = new HealthChecks(failed);
    this.health.add("ping", () => undefined);
    this.ready.add(SHUTDOWN, () => {
      if (this.#isEnding) throw new Error("the operator is shutting down");
    });
  }

  /** The process is not ready from now on, and healthy still. */
  end(): void {
    this.#isEnding = true;
  }

  answer(url: string): Promise<ProbeAnswer> {
    return answerProbe(url, { "/healthz": this.health, "/readyz": this.ready });
  }
}
