/** The helpers beside what Go says: `npm run make -- goldens` writes the files. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  formatDuration,
  formatGoNanos,
  formatIsoDuration,
  parseDuration,
  parseGoNanos,
  parseIsoDuration,
} from "../../src/kube/values/duration.ts";
import { statusOf } from "../../src/kube/progress/kstatus.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import { Quantity } from "../../src/kube/values/quantity-text.ts";
import {
  formatFieldSelector,
  formatLabelSelector,
  labelRequirements,
} from "../../src/kube/selectors/selector-format.ts";
import {
  matchesLabels,
  matchesLabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  SelectorError,
  type LabelSelector,
} from "../../src/kube/selectors/selector.ts";
import { asRead } from "../support/as-read.ts";

const NOW = Date.UTC(2026, 6, 1);
const LABELS: readonly Readonly<Record<string, string>>[] = [
  {},
  { app: "web" },
  { app: "web", tier: "front" },
  { app: "", n: "5" },
  { n: "12", "x.io/y": "z" },
  { n: "-3" },
  { n: "99999999999999999999" },
  { app: "api", tier: "back", legacy: "true" },
];

function goldens<T>(name: string): T[] {
  const text = readFileSync(new URL(`goldens/${name}.jsonl`, import.meta.url), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

/** The result, or the message of what was thrown. */
function attempt<T>(run: () => T): T | { readonly error: string } {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return { error: error.message };
  }
}

describe("quantities", () => {
  interface Row {
    readonly left: string;
    readonly right: string;
    readonly factor: number;
    readonly number: number;
    readonly value: string;
  }

  it.each(goldens<Row>("quantities"))("$left and $right are calculated as in Go", (row) => {
    const { left, right, factor, number, value, ...exact } = row;
    expect({
      canonical: Quantity.format(left),
      sum: Quantity.add(left, right),
      difference: Quantity.subtract(left, right),
      product: Quantity.multiply(left, factor),
      order: Quantity.compare(left, right),
    }).toEqual(exact);
    // Go's is an approximation, and may be off by the last bits.
    expect(Math.abs(Quantity.number(left) - number)).toBeLessThanOrEqual(Math.abs(number) * 1e-15);
    // Go's overflows in 64 bits, and rounds some negative ones up by several units.
    if (Quantity.compare(left, 0) < 0 || Quantity.compare(left, "9E") > 0) return;
    expect(String(Quantity.value(left))).toBe(value);
  });

  it("are rounded away from zero where whole units are asked for, however large", () => {
    expect(Quantity.value("-1500m")).toBe(-2n);
    expect(Quantity.value("1u")).toBe(1n);
    expect(Quantity.value("930444468548G")).toBe(930444468548_000_000_000n);
  });

  it("are summed up from any number of terms, numbers among them", () => {
    expect(Quantity.add()).toBe("0");
    expect(Quantity.add("500m", 1, "500m")).toBe("2");
    expect(Quantity.add("1Gi", "512Mi", "512Mi")).toBe("2Gi");
    expect(["1Gi", "1G", "900M"].sort(Quantity.compare)).toEqual(["900M", "1G", "1Gi"]);
  });

  it("are refused where they are none, and so is a factor with a fraction", () => {
    const bad = expect.objectContaining({ code: "bad-quantity" });
    expect(() => Quantity.add("1Gi", "lots")).toThrow(bad);
    expect(() => Quantity.format("")).toThrow(bad);
    expect(() => Quantity.multiply("1Gi", 1.5)).toThrow(
      expect.objectContaining({ code: "quantity-factor" }),
    );
    expect(Quantity.multiply("1Gi", 3n)).toBe("3Gi");
  });
});

describe("durations", () => {
  interface Row {
    readonly text: string;
    readonly nanos?: string;
    readonly formatted?: string;
    readonly error?: string;
  }

  it.each(goldens<Row>("durations"))("$text is read and written as in Go", ({ text, ...row }) => {
    const nanos = parseGoNanos(text);
    if (row.error === undefined) {
      expect({ nanos: String(nanos), formatted: formatGoNanos(nanos ?? 0n) }).toEqual(row);
    } else {
      expect(nanos).toBeUndefined();
      expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: "bad-duration" }));
    }
  });
});

describe("durations in code", () => {
  it("are milliseconds, and come back as Go writes them", () => {
    expect(parseDuration("1h30m")).toBe(5_400_000);
    expect(parseDuration("1.5ms")).toBe(1.5);
    expect(formatDuration(5_400_000)).toBe("1h30m0s");
    expect(formatDuration(0)).toBe("0s");
    expect(formatDuration(-1500.5)).toBe("-1.5005s");
    for (const ms of [Number.NaN, Infinity, 1e300]) {
      expect(() => formatDuration(ms)).toThrow(expect.objectContaining({ code: "bad-duration" }));
    }
  });

  it.each([
    ["PT0S", 0],
    ["P1DT12H", 129_600_000],
    ["PT1H30M", 5_400_000],
    ["PT0.25S", 250],
    ["P3D", 259_200_000],
    ["-PT1M", -60_000],
  ])("are read and written as ISO 8601: %s", (text, ms) => {
    expect(parseIsoDuration(text)).toBe(ms);
    expect(formatIsoDuration(ms)).toBe(text);
  });

  it.each([
    ["P2W", 1_209_600_000],
    ["PT36H", 129_600_000],
    ["PT1,5S", 1500],
    ["+PT90M", 5_400_000],
    ["PT1.5H", 5_400_000],
  ])("are read as ISO 8601 in other ways to write them: %s", (text, ms) => {
    expect(parseIsoDuration(text)).toBe(ms);
  });

  it.each([
    "",
    "P",
    "PT",
    "P1DT",
    "P1Y",
    "P1M",
    "1h",
    "PT1M1H",
    "PT1.5H1M",
    "PT.5S",
    "P1W1D",
    "pt1s",
    "P1S",
  ])("%j is no duration of ISO 8601 that has one length", (text) => {
    expect(() => parseIsoDuration(text)).toThrow(expect.objectContaining({ code: "bad-duration" }));
  });
});

describe("selectors", () => {
  interface Row {
    readonly label?: string;
    readonly field?: string;
    readonly object?: LabelSelector;
    readonly error?: string;
  }
  const rows = goldens<Row>("selectors");

  it.each(rows.filter(({ label }) => label !== undefined))(
    "$label is read, matched and written as in Go",
    ({ label = "", ...row }) => {
      const found = attempt(() => {
        const requirements = parseLabelSelector(label);
        const formatted = formatLabelSelector(requirements);
        return { formatted, matches: LABELS.map((labels) => matchesLabels(requirements, labels)) };
      });
      expect(found).toEqual(row);
    },
  );

  it.each(rows.filter(({ object }) => object !== undefined))(
    "$object of a spec is matched and written as in Go",
    ({ object = {}, ...row }) => {
      const found = attempt(() => {
        const requirements = labelRequirements(object);
        const matches = LABELS.map((labels) => matchesLabels(requirements, labels));
        expect(LABELS.map((labels) => matchesLabelSelector(object, labels))).toEqual(matches);
        return { formatted: formatLabelSelector(object), matches };
      });
      // The words are those of the API server, which refuses the object; Go's helper has its own.
      expect("error" in found).toBe(row.error !== undefined);
      if (row.error === undefined) expect(found).toEqual(row);
    },
  );

  it.each(rows.filter(({ field }) => field !== undefined))(
    "$field, of fields, is read and written as in Go",
    ({ field = "", ...row }) => {
      const found = attempt(() => {
        const requirements = parseFieldSelector(field);
        return { formatted: formatFieldSelector(requirements), requirements };
      });
      expect(found).toEqual(row);
    },
  );
});

describe("the status of an object", () => {
  interface Row {
    readonly object: KubeObject;
    readonly status: string;
  }

  const rows = goldens<Row>("statuses");

  it("that is not there is NotFound, and one that its kind does not have is Unknown", () => {
    const pod = asRead({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a" },
      status: { phase: "Odd" },
    });
    expect(statusOf(undefined, NOW).status).toBe("NotFound");
    expect(statusOf(pod, NOW)).toEqual({ status: "Unknown", message: "unknown phase Odd" });
    const broken = { ...pod, kind: "Widget", apiVersion: "e.io/v1", status: "broken" };
    expect(statusOf(broken, NOW).status).toBe("Unknown");
    for (const status of [
      null,
      [],
      { conditions: "none" },
      { conditions: [null, 1, { type: 1 }] },
    ]) {
      expect(["Current", "Unknown"]).toContain(
        statusOf(Object.assign({}, broken, { status }), NOW).status,
      );
    }
  });

  it.each([...new Set(rows.map(({ object }) => object.kind))])("of a %s is kstatus'", (kind) => {
    const own = rows.filter(({ object }) => object.kind === kind);
    expect(own.map(({ object }) => ({ object, ...statusOf(object, NOW) }))).toEqual(own);
  });
});
