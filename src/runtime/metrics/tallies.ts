/**
 * Metrics of events that happen ten thousand times a second: the labels are looked up once, and the
 * count is a plain number until the metrics are read. prom-client sorts and joins the labels for
 * each increment.
 */
import {
  Counter,
  Gauge,
  Histogram,
  type LabelValues,
  type MetricObjectWithValues,
  type MetricValueWithName,
  type Registry,
} from "prom-client";

/** A number under one set of labels; its holder changes it. */
interface Tally {
  value: number;
}

/** A counter or gauge whose series are tallies. */
export interface Tallied<L extends string> {
  /** A new series. Call it once for each set of labels. */
  at(labels: LabelValues<L>): Tally;
}

interface Naming<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: L[];
  readonly registers: Registry[];
}

export function talliedCounter<L extends string>(naming: Naming<L>): Tallied<L> {
  return tallied((collect) => {
    const counter: Counter<L> = new Counter({
      ...naming,
      collect: () => {
        counter.reset();
        collect((labels, value) => {
          counter.inc(labels, value);
        });
      },
    });
  });
}

export function talliedGauge<L extends string>(naming: Naming<L>): Tallied<L> {
  return tallied((collect) => {
    const gauge: Gauge<L> = new Gauge({
      ...naming,
      collect: () => {
        collect((labels, value) => {
          gauge.set(labels, value);
        });
      },
    });
  });
}

type Take<L extends string> = (labels: LabelValues<L>, value: number) => void;

function tallied<L extends string>(
  register: (collect: (take: Take<L>) => void) => void,
): Tallied<L> {
  const tallies: { readonly labels: LabelValues<L>; readonly tally: Tally }[] = [];
  register((take) => {
    for (const { labels, tally } of tallies) take(labels, tally.value);
  });
  return {
    at(labels) {
      const tally = { value: 0 };
      tallies.push({ labels, tally });
      return tally;
    },
  };
}

/** client-go's ExponentialBuckets(10e-9, 10, 12), in seconds. */
export const DURATION_BUCKETS = Array.from({ length: 12 }, (_, power) => 10 ** (power - 8));

/** Values by size, under one set of labels. */
class Distribution<L extends string> {
  readonly #labels: LabelValues<L>;
  readonly #bounds: readonly number[];
  // The last one counts the values above all bounds.
  readonly #counts: number[];
  #sum = 0;

  constructor(labels: LabelValues<L>, bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const { length } = this.#bounds;
    let bucket = 0;
    while (bucket < length && value > (this.#bounds[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  /** The distribution as a histogram of that name exports it. */
  export(name: string): MetricValueWithName<string>[] {
    let count = 0;
    const buckets = this.#counts.map((own, bucket) => {
      count += own;
      const labels = { le: this.#bounds[bucket] ?? "+Inf", ...this.#labels };
      return { metricName: `${name}_bucket`, labels, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: this.#labels, value: this.#sum },
      { metricName: `${name}_count`, labels: this.#labels, value: count },
    ];
  }
}

/**
 * A histogram whose series are distributions; registered.
 *
 * A `Histogram` takes only observations one by one, so it just names and describes the metric here.
 * The registered metric is a gauge, whose values the registry takes from `get`.
 */
export class TalliedHistogram<L extends string> extends Gauge<L> {
  readonly #described: Histogram<L>;
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #series: Distribution<L>[] = [];

  constructor(naming: Naming<L>, buckets: number[]) {
    super(naming);
    this.#described = new Histogram({ ...naming, buckets, registers: [] });
    this.#name = naming.name;
    this.#bounds = buckets;
  }

  /** A new series. Call it once for each set of labels. */
  at(labels: LabelValues<L>): { observe(value: number): void } {
    const distribution = new Distribution(labels, this.#bounds);
    this.#series.push(distribution);
    return distribution;
  }

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const metric = await this.#described.get();
    const values = this.#series.flatMap((distribution) => distribution.export(this.#name));
    return { ...metric, values };
  }
}
