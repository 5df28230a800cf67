/** Detects metrics whose labels have ever more values: each value is another series. */

/** A metric with more series than are of use. */
export interface BoundlessMetric {
  readonly metric: string;
  /** The label with the most values. */
  readonly label: string;
  readonly series: number;
}

const MOST_SERIES = 1000;
const SERIES = /^([A-Za-z_:][\w:]*)\{(.*)\} /;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
// The suffixes of a histogram's other series: one count remains for each set of labels.
const PART_OF_ANOTHER = /_(bucket|sum)$/;

/** Checks the text of metrics; each metric is reported once. */
export class SeriesWatch {
  readonly #found = new Set<string>();

  /** The metrics that have too many series now and had fewer before. */
  check(text: string): BoundlessMetric[] {
    const lines = new Map<string, string[]>();
    for (const line of text.split("\n")) {
      const [, name = "", labels = ""] = SERIES.exec(line) ?? [];
      if (name === "" || PART_OF_ANOTHER.test(name) || this.#found.has(name)) continue;
      const known = lines.get(name);
      if (known) known.push(labels);
      else lines.set(name, [labels]);
    }
    return [...lines]
      .filter(([, series]) => series.length > MOST_SERIES)
      .map(([name, series]) => {
        this.#found.add(name);
        return {
          metric: name.replace(/_count$/, ""),
          label: widest(series),
          series: series.length,
        };
      });
  }
}

function widest(series: readonly string[]): string {
  const values = new Map<string, Set<string>>();
  for (const labels of series) {
    for (const [, label = "", value = ""] of labels.matchAll(LABEL)) {
      values.set(label, (values.get(label) ?? new Set()).add(value));
    }
  }
  const [first] = [...values].sort(([, left], [, right]) => right.size - left.size);
  return first?.[0] ?? "";
}
