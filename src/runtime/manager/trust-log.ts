/** Logs and counts what is renewed, and warns of certificates that expire soon and are not. */
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import { present } from "../../present.ts";
import type { OperatorMetrics } from "../metrics/metrics.ts";
import { isNearlyOver } from "../serving/pem.ts";
import { type TrustItem, type TrustObserver, unusableFiles } from "../transport/trust-observer.ts";

// An hour is a fraction of the shortest last tenth that a person could react to.
const LOOK_EVERY_MS = 3_600_000;

const NAMES: Readonly<Record<TrustItem["what"], string>> = {
  server: "the API server's address",
  "certificate-authority": "the API server's certificate authority",
  "client-certificate": "the client certificate",
  token: "the token",
};

interface TrustLogParts {
  readonly log: Logger;
  readonly metrics: OperatorMetrics;
  readonly clock: Clock;
  /** The name of the cluster; empty for the manager's own. */
  readonly cluster: string;
}

export class TrustLog implements TrustObserver {
  readonly #parts: TrustLogParts;
  readonly #expiring = new Map<TrustItem["what"], TrustItem>();
  readonly #warned = new Set<TrustItem>();
  #isLooking = false;

  constructor(parts: TrustLogParts) {
    this.#parts = parts;
  }

  used(item: TrustItem, isRenewal: boolean): void {
    const { log, metrics, cluster } = this.#parts;
    const { what, file, address, validUntilMs } = item;
    if (isRenewal) {
      metrics.trustRenewed(what, cluster);
      const validUntil = validUntilMs === undefined ? undefined : isoOf(validUntilMs);
      log.info(present({ file, address, validUntil }), `${NAMES[what]} was renewed`);
    }
    if (validUntilMs === undefined || what === "token") return;
    metrics.certificateExpires(what, cluster, validUntilMs);
    this.#expiring.set(what, item);
    this.#look();
  }

  unusable(reason: string | undefined): void {
    const { log } = this.#parts;
    if (reason === undefined) log.info("the renewed files of the API server's access can be used");
    else log.warn(unusableFiles(reason));
  }

  /** Warns once of each certificate whose period is nearly over, and looks again later. */
  #look(): void {
    const { log, clock } = this.#parts;
    const nowMs = clock.now();
    for (const item of this.#expiring.values()) {
      const { what, file, validFromMs: fromMs = nowMs, validUntilMs: toMs = Infinity } = item;
      if (!isNearlyOver({ fromMs, toMs }, nowMs) || this.#warned.has(item)) continue;
      this.#warned.add(item);
      const verb = toMs <= nowMs ? "expired" : "expires";
      log.warn(
        present({ file, validUntil: isoOf(toMs) }),
        `${NAMES[what]} ${verb} on ${isoOf(toMs)} and was not renewed: put a new one ${file === undefined ? "into the kubeconfig" : `into ${file}`}; it is read without a restart.`,
      );
    }
    if (this.#isLooking) return;
    this.#isLooking = true;
    const again = (): void => {
      this.#isLooking = false;
      this.#look();
    };
    clock.after(LOOK_EVERY_MS, again, { unref: true });
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
