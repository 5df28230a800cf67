/**
 * The webhook server's metrics, under controller-runtime's names.
 *
 * @see https://book.kubebuilder.io/reference/metrics-reference
 */
import { Counter, type Registry } from "prom-client";
import type { Clock } from "../../../clock.ts";
import {
  talliedCounter,
  talliedGauge,
  TalliedHistogram,
  DURATION_BUCKETS,
} from "../../metrics/tallies.ts";

export interface PathMetrics {
  /** A request came in; call the result with the status of its answer. */
  began(): (status: number) => void;
}

/** Counts what all of them do. Paths are those of handlers: what strangers ask for makes no series. */
export class WebhookMetrics {
  readonly #clock: Clock;
  readonly #latency;
  readonly #requests;
  readonly #inFlight;
  readonly #panics;
  readonly #conversionPanics;

  constructor(registry: Registry, clock: Clock) {
    this.#clock = clock;
    const registers = [registry];
    const prefix = "controller_runtime";
    this.#latency = new TalliedHistogram(
      {
        name: `${prefix}_webhook_latency_seconds`,
        help: "Histogram of the latency of processing admission requests",
        labelNames: ["webhook"],
        registers,
      },
      DURATION_BUCKETS,
    );
    this.#requests = talliedCounter({
      name: `${prefix}_webhook_requests_total`,
      help: "Total number of admission requests by HTTP status code.",
      labelNames: ["webhook", "code"],
      registers,
    });
    this.#inFlight = talliedGauge({
      name: `${prefix}_webhook_requests_in_flight`,
      help: "Current number of admission requests being served.",
      labelNames: ["webhook"],
      registers,
    });
    this.#panics = new Counter({
      name: `${prefix}_webhook_panics_total`,
      help: "Total number of webhook panics",
      registers,
    });
    this.#conversionPanics = new Counter({
      name: `${prefix}_conversion_webhook_panics_total`,
      help: "Total number of conversion webhook panics",
      registers,
    });
  }

  /** The metrics of a path. Ask once for each. */
  of(webhook: string): PathMetrics {
    const latency = this.#latency.at({ webhook });
    const inFlight = this.#inFlight.at({ webhook });
    const answered = new Map(
      [200, 500].map((code) => [code, this.#requests.at({ webhook, code: String(code) })]),
    );
    const tallyOf = (code: number) => {
      const known = answered.get(code) ?? this.#requests.at({ webhook, code: String(code) });
      answered.set(code, known);
      return known;
    };
    return {
      began: () => {
        const beganMs = this.#clock.monotonicMs();
        inFlight.value++;
        return (status) => {
          inFlight.value--;
          tallyOf(status).value++;
          latency.observe((this.#clock.monotonicMs() - beganMs) / 1000);
        };
      },
    };
  }

  /** A handler threw what is no refusal. */
  panicked(): void {
    this.#panics.inc();
  }

  conversionPanicked(): void {
    this.#conversionPanics.inc();
  }
}
